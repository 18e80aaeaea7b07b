// What can be asked: read once from the service's own description, never listed here.
import { get } from "./api.js";

const LINEAGE = { name: "lineage", sentence: "What is connected to it?", address: "/v1/lineage" };
let found;

/** Every question: name, sentence, parameters and an example over the story that ships. */
export async function questions() {
  found ??= get("/openapi.json").then(described);
  try {
    return await found;
  } catch (error) {
    found = undefined;
    throw error;
  }
}

function described(openapi) {
  const asked = Object.entries(openapi.paths)
    .filter(([path]) => path.startsWith("/v1/questions/") || path === LINEAGE.address)
    .map(([path, { get: operation }]) => ({
      name: path.split("/").at(-1),
      address: path,
      sentence: path === LINEAGE.address ? LINEAGE.sentence : operation.summary,
      parameters: operation.parameters ?? [],
    }));
  return new Map(asked.map((one) => [one.name, one]));
}

/** Which values a parameter may have, for a menu; nothing when it is free. */
export function allowed(question, name) {
  const schema = question.parameters.find((one) => one.name === name)?.schema ?? {};
  return schema.enum ?? schema.items?.enum ?? [];
}

export const takes = (question, name) => question.parameters.some((one) => one.name === name);

/** How many things the question must be asked about. */
export const needs = (question) => question.parameters.find((one) => one.name === "target")?.schema?.minItems ?? 0;

/** Its example over the story that ships, as the values of its parameters. */
export const example = (question) => question.parameters.flatMap(({ name, example: value }) => (value === undefined ? [] : [[name, value]]));
