// LangChain.js.
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { begun, check, door, equal, key, left, mark, offline, offlineKey, readerKey, rejects, run, service, verdict } from "./cases.mjs";

const at = (url, apiKey, more = {}) => new ChatOpenAI({ model: "kopeck", apiKey, maxRetries: 0, configuration: { baseURL: url + "/v1" }, ...more });
const model = at(service, key);
const tools = [{ type: "function", function: door }];
const schema = { title: "verdict", ...verdict };

await run("LangChain.js", {
  "a whole answer, with usage": async () => {
    const got = await model.invoke("say Готово.");
    equal([got.content, got.usage_metadata.total_tokens, got.response_metadata.finish_reason], ["Готово.", 15, "stop"]);
  },
  "a streamed answer, with usage": async () => {
    let sum;
    for await (const chunk of await model.stream("say Раз. Два.")) sum = sum ? sum.concat(chunk) : chunk;
    equal([sum.content.trim(), sum.usage_metadata.total_tokens], ["Раз. Два.", 15]);
  },
  "the service's tools are no calls": async () => {
    const got = await model.invoke("books");
    equal([got.tool_calls, got.content.split("\n")[0]], [[], "Готово."]);
  },
  "the client's call comes back, its result goes on": async () => {
    const bound = model.bindTools(tools), messages = [new HumanMessage("door")];
    const call = await bound.invoke(messages);
    equal(call.tool_calls.map((c) => [c.name, c.args]), [["open_door", { n: 1 }]]);
    messages.push(call, new ToolMessage({ tool_call_id: call.tool_calls[0].id, content: '{"code":4711}' }));
    equal((await bound.invoke(messages)).content, "Код 4711.");
  },
  "parallel calls, streamed": async () => {
    let sum;
    for await (const chunk of await model.bindTools(tools).stream("doors")) sum = sum ? sum.concat(chunk) : chunk;
    equal(sum.tool_calls.map((c) => c.args), [{ n: 1 }, { n: 2 }]);
  },
  "structured output, by schema and by a call": async () => {
    equal(await model.withStructuredOutput(schema, { method: "jsonSchema" }).invoke("json"), { verdict: "да" });
    equal(await model.withStructuredOutput(schema, { method: "functionCalling", name: "verdict" }).invoke("verdict"), { verdict: "да" });
  },
  "stop and limit": async () => {
    equal((await at(service, key, { stop: ["Три"] }).invoke("say Раз. Два. Три.")).content.trim(), "Раз. Два.");
    equal((await at(service, key, { maxTokens: 50 }).invoke("cut")).response_metadata.finish_reason, "length");
  },
  "a client that leaves ends the model's request": async () => {
    const message = mark("hang"), leaving = new AbortController();
    model.invoke(message, { signal: leaving.signal }).catch(() => {});
    await begun(message);
    leaving.abort();
    await left(message);
  },
  "errors show our message": async () => {
    await rejects(at(service, readerKey).invoke("x"), (e) => check(e.status === 403 && e.message.includes("chat"), e.message));
  },
  "responses": async () => {
    equal((await at(service, key, { useResponsesApi: true }).invoke("say Готово.")).text, "Готово.");
    let text = "";
    for await (const chunk of await at(service, key, { useResponsesApi: true }).stream("say Раз. Два.")) text += chunk.text;
    equal(text.trim(), "Раз. Два.");
  },
  "the offline model answers from the books": async () => {
    const got = await at(offline, offlineKey).invoke("How much cash is there?");
    check(/\d/.test(got.content), got.content);
  },
});
