// As much of OpenCode as the plugin meets: calls its hooks and prints what they changed.
import { Moored } from "./shim.mjs"

const text = (said) => ({ type: "text", text: said })
const parents = { child: "main" }
const messages = {
  main: [
    { info: { id: "m1", role: "assistant", time: { created: 1, completed: 2 } }, parts: [text("Early.")] },
    { info: { id: "m2", role: "assistant", summary: true, time: { created: 3 } }, parts: [text("Summary.")] },
    {
      info: { id: "m3", role: "assistant", time: { created: 5, completed: 6 } },
      parts: [{ type: "reasoning", text: "Hm." }, text("Sorted."), { type: "tool" }],
    },
    { info: { id: "m4", role: "user" }, parts: [text("Thanks.")] },
  ],
  child: [{ info: { id: "c1", role: "assistant", time: { created: 7 } }, parts: [text("One sort.")] }],
}
const client = {
  session: {
    get: async ({ path }) => ({ data: { id: path.id, parentID: parents[path.id] } }),
    messages: async ({ path }) => ({ data: messages[path.id] }),
  },
}
const hooks = await Moored({ client, directory: "/p" })
const event = (type, properties) => hooks.event({ event: { type, properties } })
const seen = {}

await event("session.created", { info: { id: "main" } })
const prompt = {
  message: { id: "u1", time: { created: 1 } },
  parts: [
    { id: "prt_1", type: "text", text: "Sort it." },
    { id: "prt_2", type: "text", text: "<file>", synthetic: true },
    { id: "prt_3", type: "file" },
  ],
}
await hooks["chat.message"]({ sessionID: "main" }, prompt)
seen.parts = prompt.parts
seen.system = ["base"]
await hooks["experimental.chat.system.transform"]({ sessionID: "main" }, { system: seen.system })
seen.again = ["base"]
await hooks["experimental.chat.system.transform"]({ sessionID: "main" }, { system: seen.again })
seen.child = ["base"]
await hooks["experimental.chat.system.transform"]({ sessionID: "child" }, { system: seen.child })

const args = { filePath: "/p/t.rb", oldString: "a", newString: "b" }
await hooks["tool.execute.before"]({ tool: "edit", sessionID: "main", callID: "k1" }, { args })
seen.edit = { title: "t", output: "Applied.", metadata: { diff: "--- a" } }
await hooks["tool.execute.after"]({ tool: "edit", sessionID: "main", callID: "k1", args }, seen.edit)
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "main", callID: "k2" }, { args: { command: "rake" } })
seen.bash = { title: "t", output: "ok", metadata: { exit: 0 } }
const bash = { tool: "bash", sessionID: "main", callID: "k2", args: { command: "rake" } }
await hooks["tool.execute.after"](bash, seen.bash)
const mcp = { tool: "w_now", sessionID: "child", callID: "k3", args: {} }
await hooks["tool.execute.after"](mcp, { content: [text("14")] })
const state = { status: "error", input: { filePath: "/p/u.rb" }, error: "not found", time: { start: 1, end: 9 } }
const part = { type: "tool", tool: "read", callID: "k4", sessionID: "main", state }
await event("message.part.updated", { part })
await event("message.part.updated", { part })
await event("message.part.updated", { part: { type: "text", text: "partial" } })

await event("session.idle", { sessionID: "main" })
await event("session.idle", { sessionID: "child" })
await event("session.idle", { sessionID: "unknown" })
await hooks["experimental.session.compacting"]({ sessionID: "main" }, { context: [] })
await event("session.compacted", { sessionID: "main" })
seen.compacted = ["base"]
await hooks["experimental.chat.system.transform"]({ sessionID: "main" }, { system: seen.compacted })
seen.resumed = ["base"]
await hooks["experimental.chat.system.transform"]({ sessionID: "other" }, { system: seen.resumed })
console.log(JSON.stringify(seen))
