// The official client for Node.
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { asked, begun, check, door, equal, goOn, key, left, mark, offline, offlineKey, readerKey, rejects, run, service, verdict, closed } from "./cases.mjs";

const client = new OpenAI({ baseURL: service + "/v1", apiKey: key, maxRetries: 0 });
const user = (content) => ({ role: "user", content });
const chat = (content, more = {}, options = {}) =>
  client.chat.completions.create({ model: "kopeck", messages: [user(content)], ...more }, options);
const tools = [{ type: "function", function: door }];
const Verdict = z.object({ verdict: z.string() });

await run("openai (Node)", {
  "a whole answer, with usage": async () => {
    const { data, request_id } = await client.chat.completions
      .create({ model: "kopeck", messages: [user("say Готово.")] })
      .withResponse();
    equal(data.choices[0].message.content, "Готово.");
    check(closed.test(data.choices[0].message.content), data.choices[0].message.content);
    equal([data.choices[0].finish_reason, data.usage], ["stop", { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }]);
    check(request_id, "no request id");
  },
  "a streamed answer, by the helper, with usage": async () => {
    const stream = client.chat.completions.stream({ model: "kopeck", messages: [user("say Раз. Два. Три.")], stream_options: { include_usage: true } });
    let text = "";
    stream.on("content", (delta) => (text += delta));
    const whole = await stream.finalChatCompletion();
    equal([text.trim(), whole.choices[0].message.content.trim(), whole.choices[0].message.role], ["Раз. Два. Три.", "Раз. Два. Три.", "assistant"]);
    equal(whole.usage.total_tokens, 15);
  },
  "no usage in a stream that did not ask": async () => {
    for await (const chunk of await chat("say Раз.", { stream: true })) check(chunk.choices.length === 1 && !chunk.usage, chunk);
  },
  "the service's tools are reasoning, not calls": async () => {
    const message = (await chat("books")).choices[0].message;
    check(message.reasoning_content.startsWith("money_position") && !message.tool_calls, message);
    let reasoning = "", states = [];
    for await (const chunk of await chat("books", { stream: true })) {
      reasoning += chunk.choices[0].delta.reasoning_content ?? "";
      states.push(...(chunk.kopeck?.tools ?? []).map((t) => t.state));
    }
    equal([reasoning.split(" ")[0], states], ["money_position", ["started", "finished"]]);
  },
  "the client's call comes back, its result goes on": async () => {
    const messages = [user("door")];
    const first = await client.chat.completions.create({ model: "kopeck", messages, tools });
    const { message, finish_reason } = first.choices[0];
    equal([finish_reason, message.tool_calls.length, message.tool_calls[0].function.name], ["tool_calls", 1, "open_door"]);
    messages.push(message, { role: "tool", tool_call_id: message.tool_calls[0].id, content: '{"code":4711}' });
    const second = await client.chat.completions.create({ model: "kopeck", messages, tools });
    equal(second.choices[0].message.content, "Код 4711.");
  },
  "the helper runs the client's tools": async () => {
    let opened = 0;
    const runner = client.chat.completions.runTools({
      model: "kopeck",
      messages: [user("door")],
      tools: [{ type: "function", function: { ...door, parse: JSON.parse, function: () => (opened++, '{"code":4711}') } }],
    });
    equal([await runner.finalContent(), opened], ["Код 4711.", 1]);
  },
  "a turn with calls of both sides: ours is run, the client's comes back": async () => {
    for (const stream of [false, true]) {
      const answer = stream
        ? await client.chat.completions.stream({ model: "kopeck", messages: [user("both")], tools }).finalChatCompletion()
        : await chat("both", { tools });
      const { message, finish_reason } = answer.choices[0];
      equal([finish_reason, message.tool_calls.map((c) => c.function.name)], ["tool_calls", ["open_door"]], stream ? "streamed" : "whole");
    }
  },
  "parallel calls, and one at a time": async () => {
    const both = await client.chat.completions.stream({ model: "kopeck", messages: [user("doors")], tools }).finalChatCompletion();
    equal(both.choices[0].message.tool_calls.map((c) => c.function.arguments), ['{"n":1}', '{"n":2}']);
    const one = await chat("doors", { tools, parallel_tool_calls: false });
    equal(one.choices[0].message.tool_calls.length, 1);
  },
  "response_format with a JSON schema": async () => {
    const answer = await client.chat.completions.parse({ model: "kopeck", messages: [user("json")], response_format: zodResponseFormat(Verdict, "verdict") });
    equal(answer.choices[0].message.parsed, { verdict: "да" });
    const streamed = client.chat.completions.stream({ model: "kopeck", messages: [user("json")], response_format: zodResponseFormat(Verdict, "verdict") });
    equal((await streamed.finalChatCompletion()).choices[0].message.parsed, { verdict: "да" });
  },
  "figures that are made up are refused, in JSON too": async () => {
    const { message } = (await chat("lie json", { response_format: { type: "json_object" } })).choices[0];
    check(message.content === null && message.refusal, message);
    const streamed = await client.chat.completions
      .stream({ model: "kopeck", messages: [user("lie json")], response_format: zodResponseFormat(Verdict, "verdict") })
      .finalChatCompletion();
    check(streamed.choices[0].message.refusal, streamed.choices[0].message);
    const text = (await chat("lie text")).choices[0].message.content;
    check(!text.includes("98765"), text);
    const args = (await chat("lie door", { tools })).choices[0].message;
    check(!args.tool_calls, args);
  },
  "stop": async () => {
    const answer = (await chat("say Раз. Два. Три.", { stop: ["Три", "Никогда"] })).choices[0];
    equal([answer.message.content.trim(), answer.finish_reason], ["Раз. Два.", "stop"]);
  },
  "max_completion_tokens": async () => {
    for (const stream of [false, true]) {
      const message = mark("cut");
      const params = { model: "kopeck", messages: [user(message)], max_completion_tokens: 50 };
      const choice = stream ? await lastChoice(params) : (await client.chat.completions.create(params)).choices[0];
      equal(choice.finish_reason, "length", stream ? "streamed" : "whole");
      equal((await asked(message))[0].max_completion_tokens, 50);
    }
  },
  "seed, temperature, top_p reach the model; user, metadata, store are taken": async () => {
    const message = mark("say");
    await chat(message, { seed: 7, temperature: 0.5, top_p: 0.9, user: "u-1", metadata: { shop: "1" }, store: true, n: 1, logit_bias: {}, service_tier: "auto" });
    const [body] = await asked(message);
    equal([body.seed, body.temperature, body.top_p], [7, 0.5, 0.9]);
  },
  "every field that there is, and the raw response": async () => {
    const promise = client.chat.completions.create({
      model: "kopeck",
      messages: [{ role: "developer", name: "n", content: "Кратко." }, user("say Принято.")],
      audio: { format: "wav", voice: "alloy" }, modalities: ["text"], prediction: { type: "content", content: "x" }, verbosity: "low",
      frequency_penalty: -2, presence_penalty: -2, logit_bias: { x: 0 }, logprobs: true, top_logprobs: 0, temperature: 1, top_p: 1, n: 1,
      max_tokens: 0, max_completion_tokens: 0, seed: -9007199254740991, stop: "\n", reasoning_effort: "none", service_tier: "auto",
      functions: [{ name: "f", parameters: {} }], function_call: "none", tools, tool_choice: "none", parallel_tool_calls: true,
      prompt_cache_key: "k", safety_identifier: "s", user: "u", store: true, metadata: { x: "y" }, response_format: { type: "text" },
      stream: false, stream_options: { include_obfuscation: true, include_usage: true }, web_search_options: { search_context_size: "low" },
    });
    check((await promise.asResponse()).headers.get("x-session-id"), "no session");
    equal((await promise).choices[0].message.content, "Принято.");
    await rejects(client.models.list({ path: "/no-such-path" }), (e) => equal(e.constructor.name, "NotFoundError"));
  },
  "what a chat UI asks for itself is no session": async () => {
    const at = new OpenAI({ baseURL: offline + "/v1", apiKey: offlineKey, maxRetries: 0 });
    const talk = "<chat_history>\nUSER: Сколько денег на счетах?\nASSISTANT: Сейчас посмотрю.\n</chat_history>";
    const { data, response } = await at.chat.completions
      .create({ model: "kopeck", messages: [user(`### Task:\nGive the chat a title.\nJSON format: { "title": "…" }\n${talk}`)] })
      .withResponse();
    equal([JSON.parse(data.choices[0].message.content), response.headers.get("x-session-id")], [{ title: "Сколько денег на счетах?" }, null]);
  },
  "content of several parts": async () => {
    const parts = [{ type: "text", text: "say Части." }, { type: "text", text: "Две." }];
    check((await chat(parts)).choices[0].message.content.startsWith("Части."));
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
    check((await chat([...parts, image])).choices[0].message.content.startsWith("Части."));
    const at = new OpenAI({ baseURL: offline + "/v1", apiKey: offlineKey, maxRetries: 0 });
    await rejects(at.chat.completions.create({ model: "kopeck", messages: [user([...parts, image])] }), (e) =>
      equal([e.status, e.param], [400, "messages.0.content.2.type"]));
  },
  "a function is called as before there were tools": async () => {
    const messages = [user("door")], functions = [door];
    const { message, finish_reason } = (await client.chat.completions.create({ model: "kopeck", messages, functions })).choices[0];
    equal([finish_reason, message.function_call.name, message.tool_calls], ["function_call", "open_door", undefined]);
    const streamed = await client.chat.completions.stream({ model: "kopeck", messages, functions }).finalChatCompletion();
    const { name, arguments: text } = streamed.choices[0].message.function_call;
    equal([name, text], [message.function_call.name, message.function_call.arguments]);
    messages.push(message, { role: "function", name: "open_door", content: '{"code":4711}' });
    equal((await client.chat.completions.create({ model: "kopeck", messages, functions })).choices[0].message.content, "Код 4711.");
  },
  "a conversation is begun, asked in, listed and erased": async () => {
    const { id } = await client.conversations.create();
    const asking = await client.responses.create({ model: "kopeck", input: "say Готово.", conversation: id });
    equal([asking.conversation.id, asking.output_text], [id, "Готово."]);
    const said = [];
    for await (const item of client.conversations.items.list(id, { limit: 1, order: "asc" })) said.push([item.role, item.content[0].text.split("\n")[0]]);
    equal(said, [["user", "say Готово."], ["assistant", "Готово."]]);
    await client.conversations.delete(id);
    await rejects(client.conversations.retrieve(id), (e) => equal(e.status, 404));
  },
  "a client that leaves in mid-stream ends the model's request": async () => {
    const message = mark("hang");
    const stream = await chat(message, { stream: true });
    for await (const chunk of stream) if (chunk.choices[0].delta.content) break; // leaves
    await left(message);
  },
  "a client that leaves a whole answer ends the model's request": async () => {
    const message = mark("hang"), leaving = new AbortController();
    const answer = chat(message, {}, { signal: leaving.signal });
    answer.catch(() => {});
    await begun(message);
    leaving.abort();
    await left(message);
  },
  "a timeout, and nothing goes on after it": async () => {
    for (const timeout of [300, 3000, 30_000]) {
      const message = mark("hang");
      await rejects(chat(message, {}, { timeout }), (e) => equal(e.constructor.name, "APIConnectionTimeoutError"));
      if ((await asked(message)).length) return left(message); // otherwise it ended before the model was asked
    }
    throw new Error("the model was not asked");
  },
  "a retry joins the first try": async () => {
    for (const stream of [false, true]) {
      let times = 0;
      for (let n = 0; n < 3 && times !== 1; n++) { // the service waits for a retry only so long, which a busy machine may miss
        const message = mark("slow");
        const patient = new OpenAI({ baseURL: service + "/v1", apiKey: key, maxRetries: 1, fetch: losing(message) }).chat.completions;
        const params = { model: "kopeck", messages: [user(message)] };
        const answer = stream ? await patient.stream(params).finalChatCompletion() : await patient.create(params);
        equal(answer.choices[0].message.content.trim(), "Наконец.");
        times = (await asked(message)).length;
      }
      equal(times, 1, stream ? "streamed, the model was asked" : "whole, the model was asked");
    }
  },
  "a silent stream is kept open by comments": async () => {
    const res = await fetch(service + "/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "kopeck", stream: true, messages: [user(mark("hang"))] }),
    });
    let text = "";
    for await (const part of res.body.pipeThrough(new TextDecoderStream())) if ((text += part).includes(": ping\n\n")) return;
    throw new Error("no ping in " + text);
  },
  "errors have their class, our message and our code": async () => {
    const as = (apiKey) => new OpenAI({ baseURL: service + "/v1", apiKey, maxRetries: 2 });
    for (const [what, call, name, status, code, says] of [
      ["no messages", () => chat("x", { messages: [] }), "BadRequestError", 400, "REQUEST_INVALID", "messages"],
      ["a schema that is none", () => chat("x", { response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: 1 } } } }), "BadRequestError", 400, "REQUEST_INVALID", "JSON Schema"],
      ["a key that is none", () => as("sk-org-wrong").models.list(), "AuthenticationError", 401, "AUTH_TOKEN_INVALID", "key"],
      ["a key that may not", () => as(readerKey).chat.completions.create({ model: "kopeck", messages: [user("x")] }), "PermissionDeniedError", 403, "AUTH_PERMISSION_DENIED", "chat"],
      ["no such model", () => client.models.retrieve("none"), "NotFoundError", 404, "model_not_found", "model"],
      ["no such session", () => chat("x", {}, { headers: { "X-Session-Id": "01938c3e-0000-7000-8000-000000000000" } }), "NotFoundError", 404, "NOT_FOUND", "session"],
      ["the model is away", () => chat("away"), "InternalServerError", 502, "MODEL_UNAVAILABLE", "model"],
    ])
      await rejects(call(), (e) => {
        equal([e.constructor.name, e.status, e.code], [name, status, code], what);
        check(e.message.includes(says) && e.requestID, `${what}: ${e.message} (${e.requestID})`);
      });
  },
  "an error in mid-stream is thrown": async () => {
    await rejects(client.chat.completions.stream({ model: "kopeck", messages: [user("break")] }).finalChatCompletion(), (e) =>
      equal([e.constructor.name, e.code], ["APIError", "MODEL_UNAVAILABLE"]));
  },
  "models": async () => {
    const ids = (await client.models.list()).data.map((m) => m.id);
    check(ids.includes("kopeck") && ids.includes("openai/script"), ids);
    for (const id of ids) equal((await client.models.retrieve(id)).id, id);
  },
  "a conversation is found again by its messages": async () => {
    const messages = [user(mark("say Помню."))];
    const one = await client.chat.completions.create({ model: "kopeck", messages }).withResponse();
    messages.push(one.data.choices[0].message, user("say Помню и это."));
    const two = await client.chat.completions.create({ model: "kopeck", messages }).withResponse();
    equal(two.response.headers.get("x-session-id"), one.response.headers.get("x-session-id"));
  },
  "responses: whole, streamed, going on": async () => {
    const one = await client.responses.create({ model: "kopeck", input: "books", instructions: "Кратко." });
    equal([one.status, one.output.map((i) => i.type), one.output_text.split("\n")[0]], ["completed", ["reasoning", "message"], "Готово."]);
    const stream = client.responses.stream({ model: "kopeck", input: "say Дальше.", previous_response_id: one.id });
    let text = "";
    stream.on("response.output_text.delta", (e) => (text += e.delta));
    const two = await stream.finalResponse();
    equal([text, two.output_text, two.previous_response_id], ["Дальше.", "Дальше.", one.id]);
    equal((await client.responses.retrieve(two.id)).output_text, "Дальше.");
    await client.responses.delete(two.id);
    await rejects(client.responses.retrieve(two.id), (e) => equal(e.status, 404));
  },
  "responses: the client's tools, and a schema": async () => {
    const params = { model: "kopeck", tools: [{ type: "function", ...door, strict: false }] };
    const one = await client.responses.create({ ...params, input: "door" });
    const call = one.output.find((i) => i.type === "function_call");
    const result = { type: "function_call_output", call_id: call.call_id, output: '{"code":4711}' };
    const two = await client.responses.create({ ...params, previous_response_id: one.id, input: [result] });
    equal(two.output_text, "Код 4711.");
    const streamed = await client.responses.stream({ ...params, input: "doors" }).finalResponse();
    equal(streamed.output.map((i) => i.arguments), ['{"n":1}', '{"n":2}']);
    const parsed = await client.responses.parse({ model: "kopeck", input: "json", text: { format: zodTextFormat(Verdict, "verdict") } });
    equal(parsed.output_parsed, { verdict: "да" });
    await rejects(client.responses.stream({ model: "kopeck", input: "break" }).finalResponse(), (e) => equal(e.code, "MODEL_UNAVAILABLE"));
  },
  "the offline model answers from the books, whole and streamed": async () => {
    const at = new OpenAI({ baseURL: offline + "/v1", apiKey: offlineKey, maxRetries: 0 });
    const params = { model: "kopeck", messages: [user("Сколько денег на счетах?")], tools };
    const whole = (await at.chat.completions.create(params)).choices[0].message.content;
    const streamed = (await at.chat.completions.stream(params).finalChatCompletion()).choices[0].message.content;
    check(/\d/.test(whole), whole);
    equal(streamed, whole);
    const refused = (await at.chat.completions.create({ ...params, response_format: { type: "json_schema", json_schema: { name: "v", schema: verdict } } })).choices[0].message;
    check(refused.content === null && refused.refusal.includes("KOPECK_MODEL"), refused);
  },
});

// losing returns a fetch that drops the first attempt after the model has begun to answer. When the next attempt comes, it lets
// the model continue.
function losing(message) {
  let tries = 0;
  return async (url, init) => {
    if (tries++) return (await Promise.all([fetch(url, init), goOn(message)]))[0];
    const leaving = new AbortController();
    fetch(url, { ...init, signal: leaving.signal }).catch(() => {});
    await begun(message);
    leaving.abort();
    throw new Error("the connection was dropped");
  };
}

async function lastChoice(params) {
  let last;
  for await (const chunk of await client.chat.completions.create({ ...params, stream: true })) if (chunk.choices[0]?.finish_reason) last = chunk.choices[0];
  return last;
}
