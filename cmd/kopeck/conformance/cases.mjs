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

// leavingTime is how soon the work for a client that left must be seen to end, in milliseconds. The service takes less than a
// second, which its own tests hold; what is seen here comes through two more processes.
export const leavingTime = 2000;

// left waits until the model's client has left a marked message that hangs, and gives how many milliseconds that took.
export async function left(marked) {
  const began = Date.now();
  if (!(await ask("left", marked))) throw new Error("the model still works for a client that left");
  return Date.now() - began;
}

export function check(condition, ...what) {
  if (!condition) throw new Error(what.map((w) => (typeof w === "string" ? w : JSON.stringify(w))).join(" "));
}

export function equal(got, want, what = "got") {
  check(JSON.stringify(got) === JSON.stringify(want), `${what} ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
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

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

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
        const late = pause(30_000).then(() => Promise.reject(new Error("it takes too long")));
        late.catch(() => {});
        await Promise.race([body(), late]);
      } catch (error) {
        problem = String(error?.stack ?? error).split("\n").slice(0, 3).join(" ");
      }
      console.log(JSON.stringify({ client, case: name, ms: Date.now() - began, problem }));
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}
