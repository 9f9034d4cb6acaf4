// The Vercel AI SDK: chat completions with its openai-compatible provider, and the Responses API with its OpenAI provider.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { asked, begun, check, door, equal, key, left, mark, offline, offlineKey, readerKey, rejects, run, service, verdict } from "./cases.mjs";

const at = (url, apiKey) => createOpenAICompatible({ name: "kopeck", baseURL: url + "/v1", apiKey, includeUsage: true, supportsStructuredOutputs: true })("kopeck");
const model = at(service, key);
const responses = createOpenAI({ baseURL: service + "/v1", apiKey: key }).responses("kopeck");
const quiet = { maxRetries: 0, onError: () => {} };

const doors = () => {
  const opened = [];
  const open_door = tool({
    description: door.description,
    inputSchema: jsonSchema(door.parameters),
    execute: async ({ n }) => (opened.push(n), { code: 4711 }),
  });
  return { opened, tools: { open_door }, stopWhen: stepCountIs(3) };
};

await run("ai (Vercel)", {
  "a whole answer, with usage": async () => {
    const got = await generateText({ model, prompt: "say Готово." });
    equal([got.text, got.finishReason, got.usage.totalTokens], ["Готово.", "stop", 15]);
  },
  "a streamed answer, with usage": async () => {
    const got = streamText({ model, prompt: "say Раз. Два.", ...quiet });
    let text = "";
    for await (const delta of got.textStream) text += delta;
    equal([text.trim(), await got.finishReason, (await got.usage).totalTokens], ["Раз. Два.", "stop", 15]);
  },
  "the service's tools are reasoning, not calls": async () => {
    const whole = await generateText({ model, prompt: "books" });
    check(whole.reasoningText.startsWith("money_position") && whole.toolCalls.length === 0, whole.reasoningText);
    const parts = [];
    for await (const part of streamText({ model, prompt: "books", ...quiet }).fullStream) parts.push(part.type);
    check(parts.includes("reasoning-delta") && !parts.includes("tool-call") && !parts.includes("error"), parts);
  },
  "the client's tools are run by the client, over several steps": async () => {
    const one = doors();
    equal([(await generateText({ model, prompt: "door", ...one })).text, one.opened], ["Код 4711.", [1]]);
    const two = doors(), got = streamText({ model, prompt: "doors", ...quiet, ...two });
    await got.consumeStream();
    equal([await got.text, two.opened], ["Код 4711.", [1, 2]]);
  },
  "a turn with calls of both sides": async () => {
    const one = doors();
    equal([(await generateText({ model, prompt: "both", ...one })).text, one.opened], ["Код 4711.", [1]]);
  },
  "an object by its schema": async () => {
    const got = await generateObject({ model, schema: jsonSchema(verdict), prompt: "json" });
    equal(got.object, { verdict: "да" });
  },
  "stop, limit, seed": async () => {
    equal((await generateText({ model, prompt: "say Раз. Два. Три.", stopSequences: ["Три"] })).text.trim(), "Раз. Два.");
    const message = mark("cut");
    const got = await generateText({ model, prompt: message, maxOutputTokens: 50, seed: 7 });
    equal([got.finishReason, (await asked(message))[0].seed], ["length", 7]);
  },
  "a client that leaves ends the model's request": async () => {
    const message = mark("hang"), leaving = new AbortController();
    const got = streamText({ model, prompt: message, abortSignal: leaving.signal, ...quiet });
    got.consumeStream({ onError: () => {} });
    await begun(message);
    leaving.abort();
    await left(message);
  },
  "errors show our message": async () => {
    await rejects(generateText({ model: at(service, readerKey), prompt: "x", maxRetries: 2 }), (e) => {
      equal([e.name, e.statusCode, e.isRetryable], ["AI_APICallError", 403, false]);
      check(e.message.includes("chat"), e.message);
    });
    const parts = [];
    for await (const part of streamText({ model, prompt: "break", ...quiet }).fullStream) parts.push(part);
    check(parts.some((p) => p.type === "error"), parts.map((p) => p.type));
  },
  "responses: a second turn, by references to the first": async () => {
    const before = { role: "user", content: "say Запомню 4711." };
    const first = await generateText({ model: responses, messages: [before] });
    const message = mark("say Да.");
    const second = await generateText({ model: responses, messages: [before, ...first.response.messages, { role: "user", content: message }] });
    check(second.request.body.input?.some?.((i) => i.type === "item_reference") ?? JSON.stringify(second.request.body).includes("item_reference"), "the client sends no reference");
    const heard = (await asked(message))[0].messages.filter((m) => m.role === "assistant");
    check(second.text.startsWith("Да.") && heard.length === 1 && JSON.stringify(heard).includes("4711"), second.text, heard);
    equal(second.response.headers["x-session-id"], first.response.headers["x-session-id"], "session");
  },
  "responses: whole, streamed, tools": async () => {
    equal((await generateText({ model: responses, prompt: "say Готово." })).text, "Готово.");
    const got = streamText({ model: responses, prompt: "books", ...quiet });
    const parts = [];
    for await (const part of got.fullStream) parts.push(part.type);
    equal([(await got.text).split("\n")[0], parts.includes("reasoning-delta"), parts.includes("error")], ["Готово.", true, false]);
    const one = doors();
    equal([(await generateText({ model: responses, prompt: "door", ...one })).text, one.opened], ["Код 4711.", [1]]);
  },
  "the offline model answers from the books": async () => {
    const prompt = "Сколько денег на счетах?";
    const whole = (await generateText({ model: at(offline, offlineKey), prompt })).text;
    const streamed = await streamText({ model: at(offline, offlineKey), prompt, ...quiet }).text;
    check(/\d/.test(whole), whole);
    equal(streamed, whole);
  },
});
