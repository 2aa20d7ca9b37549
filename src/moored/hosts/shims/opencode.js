// moored for OpenCode: sends what happens in a session to `moored-hook`, and hands what it answers to the model.
//
// Nothing here may hold OpenCode up or make it fail: every call has a bound, and every failure means "nothing to say".
// It is one file of plain JavaScript with its types in comments, so that OpenCode, Bun and every node can load it.
import { spawn } from "node:child_process"

// Set-up writes the full path of the command here.
const HOOK = "moored-hook"

// Milliseconds after which the hook is given up. It ends by itself long before; this is for a machine that stalls.
const PATIENCE = 5_000

const EDITS = new Set(["edit", "write", "multiedit", "patch", "apply_patch"])

// Calls whose failure was sent already, and notes that wait for their call to end; neither grows without bound.
const REMEMBERED = 1_000

/**
 * Runs the hook for an event and gives the text that is meant for the model, or an empty one.
 * @param {string} event
 * @param {Record<string, unknown>} payload
 * @returns {Promise<string>}
 */
function ask(event, payload) {
  return new Promise((resolve) => {
    let answer = ""
    try {
      const child = spawn(HOOK, ["opencode", event], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        resolve("")
      }, PATIENCE)
      child.on("error", () => {
        clearTimeout(timer)
        resolve("")
      })
      child.on("close", () => {
        clearTimeout(timer)
        resolve(contextIn(answer))
      })
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (chunk) => {
        answer += chunk
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve("")
    }
  })
}

/**
 * @param {string} answer
 * @returns {string}
 */
function contextIn(answer) {
  try {
    const context = JSON.parse(answer).context
    return typeof context === "string" ? context : ""
  } catch {
    return ""
  }
}

/**
 * Lets a handler fail without anybody noticing.
 * @template {unknown[]} A
 * @param {(...given: A) => Promise<void>} handler
 * @returns {(...given: A) => Promise<void>}
 */
function quiet(handler) {
  return (...given) => handler(...given).catch(() => {})
}

/**
 * @param {Map<string, unknown> | Set<string>} remembered
 */
function forgetOldest(remembered) {
  if (remembered.size <= REMEMBERED) return
  for (const oldest of remembered.keys()) {
    remembered.delete(oldest)
    return
  }
}

/**
 * The text of a message, without what OpenCode or a plugin put into it.
 * @param {readonly import("@opencode-ai/sdk").Part[]} parts
 * @returns {string}
 */
function textOf(parts) {
  const texts = parts.flatMap((part) => (part.type === "text" && !part.synthetic && !part.ignored ? [part.text] : []))
  return texts.join("\n")
}

/** @type {import("@opencode-ai/plugin").Plugin} */
export const Moored = async ({ client, directory }) => {
  /** @type {Map<string, Promise<string>>} the session that the user talks to, by session */
  const roots = new Map()
  /** @type {Set<string>} sessions that began while this plugin was running */
  const begun = new Set()
  /** @type {Map<string, Promise<string>>} what stands in the system prompt of a session */
  const briefs = new Map()
  /** @type {Map<string, string>} what was said before a tool call, by call */
  const notes = new Map()
  /** @type {Set<string>} */
  const failed = new Set()

  /**
   * @param {string} sessionID
   * @returns {Promise<string>}
   */
  const rootOf = (sessionID) => {
    const known = roots.get(sessionID)
    if (known) return known
    const root = client.session
      .get({ path: { id: sessionID } })
      .then((found) => (found.data?.parentID ? rootOf(found.data.parentID) : sessionID))
      .catch(() => sessionID)
    roots.set(sessionID, root)
    return root
  }

  /**
   * @param {string} event
   * @param {string} sessionID
   * @param {Record<string, unknown>} told
   */
  const send = async (event, sessionID, told) =>
    ask(event, { sessionID, rootID: await rootOf(sessionID), directory, ...told })

  /**
   * @param {string} sessionID
   * @param {string} source
   */
  const begin = (sessionID, source) => {
    const brief = send("session.start", sessionID, { source })
    briefs.set(sessionID, brief)
    return brief
  }

  /**
   * Sends the last message that the assistant wrote itself, or in place of a compacted conversation.
   * @param {string} event
   * @param {string} sessionID
   * @param {boolean} summary
   */
  const sendLast = async (event, sessionID, summary) => {
    const found = await client.session.messages({ path: { id: sessionID }, query: { limit: 10 } })
    const last = found.data?.findLast(({ info }) => info.role === "assistant" && Boolean(info.summary) === summary)
    if (!last || last.info.role !== "assistant") return
    const text = textOf(last.parts)
    const at = last.info.time.completed ?? last.info.time.created
    if (text) await send(event, sessionID, { messageID: last.info.id, text, at })
  }

  return {
    event: quiet(async ({ event }) => {
      switch (event.type) {
        case "session.created":
          begun.add(event.properties.info.id)
          break
        case "session.idle":
          await sendLast("session.idle", event.properties.sessionID, false)
          break
        case "session.compacted":
          await sendLast("session.compacted", event.properties.sessionID, true)
          await begin(event.properties.sessionID, "compact")
          break
        case "message.part.updated": {
          const part = event.properties.part
          if (part.type !== "tool" || part.state.status !== "error" || failed.has(part.callID)) break
          failed.add(part.callID)
          forgetOldest(failed)
          const { input: args, error, time } = part.state
          await send("tool.error", part.sessionID, { tool: part.tool, callID: part.callID, args, error, at: time.end })
          break
        }
      }
    }),

    "chat.message": quiet(async ({ sessionID }, { message, parts }) => {
      const text = textOf(parts)
      if (!text) return
      const said = await send("chat.message", sessionID, { messageID: message.id, text, at: message.time.created })
      const last = parts[parts.length - 1]
      if (!said || !last) return
      // Parts are kept in the order of their ids: this one comes after the last.
      const id = `${last.id}m`
      parts.push({ id, sessionID, messageID: message.id, type: "text", text: said, synthetic: true })
    }),

    "experimental.chat.system.transform": quiet(async ({ sessionID }, { system }) => {
      if (!sessionID || (await rootOf(sessionID)) !== sessionID) return
      const source = begun.has(sessionID) ? "startup" : "resume"
      const brief = await (briefs.get(sessionID) ?? begin(sessionID, source))
      if (brief) system.push(brief)
    }),

    "experimental.session.compacting": quiet(async ({ sessionID }) => {
      await send("session.compacting", sessionID, {})
    }),

    "tool.execute.before": quiet(async ({ tool, sessionID, callID }, { args }) => {
      if (!EDITS.has(tool)) return
      const said = await send("tool.execute.before", sessionID, { tool, callID, args })
      if (said) notes.set(callID, said)
      forgetOldest(notes)
    }),

    "tool.execute.after": quiet(async ({ tool, sessionID, callID, args }, result) => {
      // The result of an MCP tool comes as its server gave it, with content blocks in place of an output.
      const output = "content" in result ? result.content : result.output
      const told = { tool, callID, args, output, metadata: result.metadata, at: Date.now() }
      await send("tool.execute.after", sessionID, told)
      const note = notes.get(callID)
      if (note) result.output += `\n\n${note}`
      notes.delete(callID)
    }),
  }
}
