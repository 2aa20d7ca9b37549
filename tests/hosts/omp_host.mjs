// As much of Oh My Pi as the extension meets: calls its handlers and prints what they returned.
import moored from "./shim.mjs"

const handlers = {}
moored({
  on: (event, handler) => {
    handlers[event] = handler
  },
})
const session = (id, file) => ({ getSessionId: () => id, getSessionFile: () => file, getEntries: () => [] })
const context = {
  cwd: "/p",
  agent: { kind: "main", id: "Main" },
  sessionManager: session("s1", "/o/2026-10-02_s1.jsonl"),
}
const sub = {
  cwd: "/p",
  agent: { kind: "sub", id: "0-Explore" },
  sessionManager: session("s2", "/o/2026-10-02_s1/0-Explore.jsonl"),
}
const on = (event, given, where = context) => handlers[event](given, where)
const answer = (text) => ({ role: "assistant", timestamp: 6, content: [{ type: "thinking" }, { type: "text", text }] })
const seen = {}

await on("session_start", {})
seen.prepared = await on("before_agent_start", { prompt: "Plot it.", systemPrompt: ["base"] })
seen.sub = await on("before_agent_start", { prompt: "Find it.", systemPrompt: ["base"] }, sub)
const edit = { toolName: "edit", toolCallId: "k1", input: { path: "plot.jl" } }
seen.call = await on("tool_call", edit)
seen.result = await on("tool_result", { ...edit, content: [{ type: "text", text: "Edited." }], isError: false })
const bash = { toolName: "bash", toolCallId: "k2", input: { command: "julia t.jl" } }
await on("tool_call", bash)
const failure = { content: [{ type: "text", text: "bad" }], details: { exitCode: 1 }, isError: true }
seen.bash = await on("tool_result", { ...bash, ...failure })
await on("session_stop", { messages: [], last_assistant_message: answer("Plotted.") })
await on("agent_end", { messages: [answer("main ends")] })
await on("agent_end", { messages: [answer("Two plots."), { role: "toolResult" }] }, sub)
await on("agent_end", { messages: [answer("again")], willContinue: true }, sub)
seen.before = await on("context", { messages: ["a"].map((role) => ({ role })) })
await on("session_before_compact", {})
await on("session_compact", { compactionEntry: { summary: "Summary.", timestamp: "2026-10-02T09:15:30.000Z" } })
const roles = async (names) => {
  const changed = await on("context", { messages: names.map((role) => ({ role })) })
  return changed?.messages.map(({ role, content }) => content ?? role)
}
seen.restored = await roles(["compactionSummary", "user", "assistant"])
seen.next = await on("before_agent_start", { prompt: "", systemPrompt: ["base"] })
seen.cleared = await on("context", { messages: [] })
await on("session_switch", { reason: "new" })
await on("session_branch", {})
await on("session_shutdown", {})
console.log(JSON.stringify(seen))
