// What the test cases of all clients share: where the service is, what the scripted model was asked, and how cases are run.
// The scripted model does what the first word of the last message says. The words are in model_test.go.

export const service = process.env.KOPECK_URL; // uses the scripted model
export const offline = process.env.KOPECK_OFFLINE_URL; // uses the offline model
export const key = process.env.KOPECK_KEY;
export const offlineKey = process.env.KOPECK_OFFLINE_KEY;
export const readerKey = process.env.KOPECK_READER_KEY; // may not chat

let numbered = 0;

// mark adds a unique number to a message, so that a case can ask the model about it.
export const mark = (word) => `${word} #${process.pid}-${++numbered}`;

const ask = async (path, marked) => (await fetch(`${process.env.MODEL_URL}/${path}?of=${encodeURIComponent(marked)}`)).json();

// asked returns the bodies of the requests that the model got with a marked message, oldest first.
export const asked = (marked) => ask("asked", marked);

// begun waits until the model has begun to answer a marked message that hangs or is slow.
export async function begun(marked) {
  check(await ask("begun", marked), "the model was not asked");
}

// left waits until the service has closed its request for a marked message that hangs. The service's own tests check how soon
// that happens; here two more processes are involved.
export async function left(marked) {
  check(await ask("left", marked), "the request to the model continues after the client disconnected");
}

// goOn lets the model continue with a marked message that is slow.
export const goOn = (marked) => ask("go-on", marked);

export function check(condition, ...what) {
  if (!condition) throw new Error(what.map((w) => (typeof w === "string" ? w : JSON.stringify(w))).join(" "));
}

// closed matches the line with the sources, with which the service ends an answer.
export const closed = /\n\n(Источники|Sources): [^\n]*$/;

// said returns a value as JSON, without the service's last line in its texts.
const said = (value) => JSON.stringify(value ?? null, (_, part) => (typeof part === "string" ? part.replace(closed, "") : part));

// equal compares the model's texts.
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

// run runs the cases of a client, a few at a time, and prints the result of each as a line of JSON.
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
