// moored for Oh My Pi: sends what happens in a session to `moored-hook`, and hands what it answers to the model.
//
// Nothing here may hold Oh My Pi up or make it fail: every call has a bound, and every failure means "nothing to say".
// It is one file of plain JavaScript with its types in comments, so that Oh My Pi, Bun and every node can load it.
import { spawn } from "node:child_process"

// Set-up writes the full path of the command here.
const HOOK = "moored-hook"

// Milliseconds after which the hook is given up. It ends by itself long before; this is for a machine that stalls.
const PATIENCE = 5_000

// Milliseconds for the last event, for whose handlers Oh My Pi waits two seconds at most.
const LAST_PATIENCE = 1_500

const EDITS = new Set(["edit", "write", "apply_patch", "ast_edit"])

/** @typedef {import("@oh-my-pi/pi-coding-agent").ExtensionContext} Context */
/** @typedef {{ role: string, content?: unknown, timestamp?: number }} Message */

/**
 * Runs the hook for an event and gives the text that is meant for the model, or an empty one.
 * @param {string} event
 * @param {Record<string, unknown>} payload
 * @param {number} [patience]
 * @returns {Promise<string>}
 */
function ask(event, payload, patience = PATIENCE) {
  return new Promise((resolve) => {
    let answer = ""
    try {
      const child = spawn(HOOK, ["omp", event], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        resolve("")
      }, patience)
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
 * @template E, R
 * @param {(event: E, context: Context) => Promise<R | undefined>} handler
 * @returns {(event: E, context: Context) => Promise<R | undefined>}
 */
function quiet(handler) {
  return (event, context) => handler(event, context).catch(() => undefined)
}

/**
 * Where something happened.
 * @param {Context} context
 * @returns {Record<string, unknown>}
 */
function place(context) {
  const { sessionManager, agent, cwd } = context
  return { cwd, sessionId: sessionManager.getSessionId(), sessionFile: sessionManager.getSessionFile(), agent }
}

/**
 * The text of a message, without its thoughts and tool calls.
 * @param {Message | undefined} message
 * @returns {string}
 */
function textOf(message) {
  const content = message?.content
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.flatMap((block) => (block?.type === "text" ? [block.text] : [])).join("\n")
}

/**
 * @param {string} content
 */
function custom(content) {
  return { customType: "moored", content, display: false }
}

/**
 * @param {import("@oh-my-pi/pi-coding-agent").ExtensionAPI} pi
 */
export default function moored(pi) {
  /** What stands in the system prompt of the session. */
  let brief = Promise.resolve("")
  /** What stands after the summary of a compaction until the next prompt brings it into the system prompt. */
  let restored = ""
  /** @type {Map<string, string>} what was said before a tool call, by call */
  const notes = new Map()

  /**
   * @param {string} source
   * @param {Context} context
   */
  const begin = (source, context) => {
    restored = ""
    if (context.agent.kind === "main") brief = ask("session_start", { ...place(context), source })
    return brief
  }

  /**
   * @param {readonly Message[]} messages
   * @param {Context} context
   */
  const sendLast = async (messages, context) => {
    const last = messages.findLast((message) => message.role === "assistant")
    const text = textOf(last)
    if (text) await ask("session_stop", { ...place(context), text, at: last?.timestamp })
  }

  pi.on("session_start", quiet(async (_event, context) => {
    begin(context.sessionManager.getEntries().length > 0 ? "resume" : "startup", context)
    return undefined
  }))

  pi.on("session_switch", quiet(async ({ reason }, context) => {
    begin(reason === "new" ? "clear" : reason, context)
    return undefined
  }))

  pi.on("session_branch", quiet(async (_event, context) => {
    begin("fork", context)
    return undefined
  }))

  pi.on("before_agent_start", quiet(async ({ prompt, systemPrompt }, context) => {
    const said = prompt ? await ask("before_agent_start", { ...place(context), text: prompt, at: Date.now() }) : ""
    const standing = context.agent.kind === "main" ? await brief : ""
    restored = ""
    return {
      ...(said ? { message: custom(said) } : {}),
      ...(standing ? { systemPrompt: [...systemPrompt, standing] } : {}),
    }
  }))

  pi.on("context", quiet(async ({ messages }) => {
    if (!restored) return undefined
    const at = messages.findLastIndex(({ role }) => role === "compactionSummary") + 1
    const message = { role: /** @type {const} */ ("custom"), ...custom(restored), timestamp: Date.now() }
    return { messages: [...messages.slice(0, at), message, ...messages.slice(at)] }
  }))

  pi.on("tool_call", quiet(async ({ toolName, toolCallId, input }, context) => {
    if (!EDITS.has(toolName)) return undefined
    const said = await ask("tool_call", { ...place(context), toolName, toolCallId, input })
    if (said) notes.set(toolCallId, said)
    return undefined
  }))

  pi.on("tool_result", quiet(async ({ toolName, toolCallId, input, content, details, isError }, context) => {
    const told = { toolName, toolCallId, input, content, details, isError, at: Date.now() }
    await ask("tool_result", { ...place(context), ...told })
    const note = notes.get(toolCallId)
    notes.delete(toolCallId)
    return note ? { content: [...content, { type: /** @type {const} */ ("text"), text: note }] } : undefined
  }))

  pi.on("session_stop", quiet(async ({ messages, last_assistant_message: last }, context) => {
    await sendLast(last ? [last] : messages, context)
    return undefined
  }))

  pi.on("agent_end", quiet(async ({ messages, willContinue }, context) => {
    // Sub-agents have no `session_stop`.
    if (context.agent.kind === "sub" && !willContinue) await sendLast(messages, context)
    return undefined
  }))

  pi.on("session_before_compact", quiet(async (_event, context) => {
    await ask("session_before_compact", place(context))
    return undefined
  }))

  pi.on("session_compact", quiet(async ({ compactionEntry }, context) => {
    const at = Date.parse(compactionEntry.timestamp)
    await ask("session_compact", { ...place(context), text: compactionEntry.summary, at })
    restored = context.agent.kind === "main" ? await begin("compact", context) : ""
    return undefined
  }))

  pi.on("session_shutdown", quiet(async (_event, context) => {
    await ask("session_shutdown", place(context), LAST_PATIENCE)
    return undefined
  }))
}
