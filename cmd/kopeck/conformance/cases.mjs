// What the clients' cases have in common: where the service is, what the scripted model was asked, and how cases are run.
// The scripted model does what the first word of the last message says; model_test.go has the words.

export const service = process.env.KOPECK_URL; // with the scripted model
export const offline = process.env.KOPECK_OFFLINE_URL; // with the offline one
export const key = process.env.KOPECK_KEY;
export const offlineKey = process.env.KOPECK_OFFLINE_KEY;
export const readerKey = process.env.KOPECK_READER_KEY; // may not chat

let numbered = 0;

// mark makes a message's words its own, so that its turn can be asked for.
export const mark = (word) => `${word} #${process.pid}-${++numbered}`;

const ask = async (path, marked) => (await fetch(`${process.env.MODEL_URL}/${path}?of=${encodeURIComponent(marked)}`)).json();

// asked is what the model was asked for a marked message: the bodies of its requests, oldest first.
export const asked = (marked) => ask("asked", marked);

// begun waits until the model works for a marked message that hangs or is slow.
export async function begun(marked) {
  check(await ask("begun", marked), "the model was not asked");
}

// left waits until the model's client has left a marked message that hangs. How soon that must be is for the service's own
// tests; here it is seen through two more processes.
export async function left(marked) {
  check(await ask("left", marked), "the model still works for a client that left");
}

// goOn has the model answer a marked message that is slow.
export const goOn = (marked) => ask("go-on", marked);

export function check(condition, ...what) {
  if (!condition) throw new Error(what.map((w) => (typeof w === "string" ? w : JSON.stringify(w))).join(" "));
}

// closed tells the line that the service closes every answer with.
export const closed = /\n\n(Источники|Sources): [^\n]*$/;

// said is a value with the service's own last line left out of its texts.
const said = (value) => JSON.stringify(value ?? null, (_, part) => (typeof part === "string" ? part.replace(closed, "") : part));

// equal compares what the model said.
export function equal(got, want, what = "got") {
  check(said(got) === said(want), `${what} ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

export async function rejects(promise, test) {
  try {
    await promise;
  } catch (error) {
    await test(error);
    return;
  }
  throw new Error("it succeeded");
}

export const door = { name: "open_door", description: "Opens a door", parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } };

export const verdict = {
  type: "object",
  properties: { verdict: { type: "string" } },
  required: ["verdict"],
  additionalProperties: false,
};

// run runs a client's cases, a few at a time, and prints a line of JSON for each.
export async function run(client, cases) {
  const waiting = Object.entries(cases);
  const worker = async () => {
    for (let next; (next = waiting.shift()); ) {
      const [name, body] = next;
      const began = Date.now();
      let problem = "";
      try {
        let limit;
        const late = new Promise((_, reject) => (limit = setTimeout(reject, 120_000, new Error("it takes too long"))));
        await Promise.race([body(), late]).finally(() => clearTimeout(limit));
      } catch (error) {
        problem = String(error?.stack ?? error).split("\n").slice(0, 3).join(" ");
      }
      console.log(JSON.stringify({ client, case: name, ms: Date.now() - began, problem }));
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}
