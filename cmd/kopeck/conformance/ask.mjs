// Asks a running service with the official client. Reads one question per line of standard input, as JSON: {question, stream}.
// Prints one answer per line, as JSON: {text, finish, usage} or {error: {class, status, code, message}}.
import OpenAI from "openai";
import { createInterface } from "node:readline";

const client = new OpenAI({ baseURL: process.env.KOPECK_BASE_URL, apiKey: process.env.KOPECK_KEY, maxRetries: 0 });

async function ask({ question, stream }) {
  const request = { model: "kopeck", messages: [{ role: "user", content: question }] };
  if (!stream) {
    const answer = await client.chat.completions.create(request);
    const choice = answer.choices[0];
    return { text: choice.message.content, finish: choice.finish_reason, usage: answer.usage };
  }
  const answer = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
  let text = "";
  answer.on("content", (delta) => (text += delta));
  const whole = await answer.finalChatCompletion();
  const choice = whole.choices[0];
  if (text !== choice.message.content) throw new Error("the deltas do not add up to the final message");
  return { text, finish: choice.finish_reason, usage: whole.usage };
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = await ask(JSON.parse(line));
  } catch (error) {
    answer = {
      error: { class: error.constructor.name, status: error.status, code: error.code, message: error.message },
    };
  }
  console.log(JSON.stringify(answer));
}
