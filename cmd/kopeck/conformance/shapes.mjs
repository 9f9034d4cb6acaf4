// How the official client for Node handles each form of a response in shapes.json. The results are why the service uses its own
// forms. MODEL_URL/shapes/N serves form N.
import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { check, equal, run } from "./cases.mjs";

const shapes = JSON.parse(readFileSync(new URL("shapes.json", import.meta.url)));
const cases = {};
shapes.forEach((shape, n) => {
  const client = new OpenAI({ baseURL: `${process.env.MODEL_URL}/shapes/${n}`, apiKey: "none", maxRetries: 2 });
  const params = { model: "m", messages: [{ role: "user", content: "x" }] };
  cases[shape.name] = shape.frames
    ? async () => {
        const want = typeof shape.text === "object" && shape.text ? shape.text.node : shape.text;
        let text = null;
        try {
          text = (await client.chat.completions.stream(params).finalChatCompletion()).choices[0].message.content;
        } catch {} // what it throws is an answer too
        equal(text, want);
      }
    : async () => {
        const error = await client.chat.completions.create(params).catch((e) => e);
        equal(error.status, shape.status);
        if (shape.lost) return equal(error.code ?? null, null);
        equal(error.code, shape.code);
        check(error.message.includes(shape.message), error.message);
        equal((await (await fetch(`${process.env.MODEL_URL}/hits/${n}`)).json()).node, shape.hits, "hits");
      };
});
await run("openai (Node), shapes", cases);
