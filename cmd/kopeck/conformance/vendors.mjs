// The official clients of OpenAI and Anthropic and the AI SDK, with models whose providers fail. The faults are in vendors_test.go.
import { createHash } from "node:crypto";
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import OpenAI, { toFile } from "openai";
import { check, equal, key, mark, rejects, run, service } from "./cases.mjs";

const openai = new OpenAI({ baseURL: service + "/v1", apiKey: key, maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: service, apiKey: key, maxRetries: 0 });
const compatible = createOpenAICompatible({ name: "kopeck", baseURL: service + "/v1", apiKey: key });
const faults = process.env.FAULTS.split(" ");

// asked returns how many requests with these words each provider got.
const asked = async (words) => (await fetch(`${process.env.VENDORS_URL}/asked/v1?of=${encodeURIComponent(words)}`)).json();

// onceEach checks that the provider that answered got one request, and the failing one at most one: after a failure it is paused.
async function onceEach(words, answered) {
  const counts = await asked(words);
  equal(counts[answered], 1, `requests to ${answered}`);
  check(Object.values(counts).every((n) => n === 1), "sent twice:", counts);
}

// each returns a case for each fault, and one without a fault.
const each = (name, ask) =>
  Object.fromEntries(["good", ...faults].map((fault) => [`${name}: ${fault}`, () => ask(fault)]));

const user = (words) => [{ role: "user", content: `«${words}»` }];

await run("openai (Node), other models", {
  ...each("whole", async (model) => {
    const words = mark(model);
    const { data, response } = await openai.chat.completions.create({ model, messages: user(words) }).withResponse();
    equal([data.choices[0].message.content, data.usage.total_tokens], ["Готово.", 5]);
    check(response.headers.get("x-kopeck-route").includes("good"), response.headers.get("x-kopeck-route"));
    await onceEach(words, "good");
  }),
  ...each("streamed", async (model) => {
    const words = mark(model);
    const whole = await openai.chat.completions.stream({ model, messages: user(words) }).finalChatCompletion();
    equal(whole.choices[0].message.content, "Готово.");
    await onceEach(words, "good");
  }),
  "a slow stream is not cut": async () => {
    const whole = await openai.chat.completions.stream({ model: "drip", messages: user(mark("drip")) }).finalChatCompletion();
    equal(whole.choices[0].message.content, "Готово.");
  },
  ...Object.fromEntries(
    ["late-hang", "late-reset"].map((model) => [
      `nothing is sent twice after the first event: ${model}`,
      async () => {
        const words = mark(model);
        let text = "";
        await rejects(
          (async () => {
            for await (const chunk of await openai.chat.completions.create({ model, messages: user(words), stream: true }))
              text += chunk.choices[0]?.delta.content ?? "";
          })(),
          (error) => check(error instanceof OpenAI.APIError, error.constructor.name, error.message),
        );
        equal(text, "Гото");
        equal(await asked(words), { [model]: 1 });
      },
    ]),
  ),
  "without another provider, its status and Retry-After": async () => {
    await rejects(openai.chat.completions.create({ model: "429-after-alone", messages: user("x") }), (error) => {
      equal([error.status, error.code, error.headers.get("retry-after")], [429, "rate_limit_exceeded", "60"]);
    });
    await rejects(openai.chat.completions.create({ model: "500-alone", messages: user("x") }), (error) => check(error.status >= 502, error.status));
  },
  "a file is passed on byte by byte": async () => {
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 256));
    for (const model of ["good", "500"]) {
      const { text } = await openai.audio.transcriptions.create({ model, file: await toFile(content, "a.wav") });
      equal(text, `${createHash("sha256").update(content).digest("hex")} of x`);
    }
  },
});

await run("anthropic (Node)", {
  ...each("whole", async (fault) => {
    const words = mark(fault);
    const message = await anthropic.messages.create({ model: `a-${fault}`, max_tokens: 10, messages: user(words) });
    equal([message.content[0].text, message.usage.output_tokens], ["Готово.", 2]);
    await onceEach(words, "good");
  }),
  ...each("streamed", async (fault) => {
    const words = mark(fault);
    const message = await anthropic.messages.stream({ model: `a-${fault}`, max_tokens: 10, messages: user(words) }).finalMessage();
    equal([message.content[0].text, message.stop_reason], ["Готово.", "end_turn"]);
    await onceEach(words, "good");
  }),
});

await run("AI SDK, other models", {
  ...each("whole", async (model) => {
    const words = mark(model);
    const { text } = await generateText({ model: compatible(model), prompt: `«${words}»`, maxRetries: 0 });
    equal(text, "Готово.");
    await onceEach(words, "good");
  }),
  ...each("streamed", async (model) => {
    const words = mark(model);
    equal(await streamText({ model: compatible(model), prompt: `«${words}»`, maxRetries: 0 }).text, "Готово.");
    await onceEach(words, "good");
  }),
});
