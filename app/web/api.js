// Talking to the service that served this page, and to nothing else.
let token = "";
let asked = false; // whether the service ever asked for a key

export const signIn = (key) => { token = key.trim(); };
export const keyAsked = () => asked;
export const signedIn = () => token !== "";

/** What the service answers when something is wrong: its status and its problem (RFC 9457). */
export class Trouble extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `status ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

async function send(method, path, { params = [], accept = "application/json", body, signal } = {}) {
  const query = new URLSearchParams(params).toString();
  const headers = { Accept: accept };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(query ? `${path}?${query}` : path, {
      method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin", redirect: "error",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble(0, { detail: "the service gives no reply" });
  }
  if (response.ok) return response;
  const text = await response.text();
  let problem = { detail: text.slice(0, 500) };
  try {
    problem = JSON.parse(text);
  } catch {
    // not a problem document: its text is told as it is
  }
  asked ||= response.status === 401;
  throw new Trouble(response.status, problem);
}

export const get = async (path, params, signal) => (await send("GET", path, { params, signal })).json();
export const text = async (path, params, signal) => (await send("GET", path, { params, signal, accept: "text/plain" })).text();
export const post = async (path, body) => (await send("POST", path, { body })).json();
export const blob = async (path, params) => (await send("GET", path, { params, accept: "*/*" })).blob();
export const raw = (path, params, signal) => send("GET", path, { params, signal, accept: "*/*" });
