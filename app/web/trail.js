// The best path to what is selected, as the answer itself gives it.
import { address } from "./address.js";
import { h, named } from "./dom.js";
import { EVIDENCE, called, counted, evidence, known, relation } from "./words.js";

/** Every path that an answer names, by both of its ends. */
function* paths(graph) {
  if (graph.path?.refs) yield graph.path;
  for (const list of [graph.affected, graph.survivors, ...Object.values(graph.links ?? {})]) {
    for (const one of Array.isArray(list) ? list : []) {
      if (Array.isArray(one?.path) && one.path.length > 1) yield { refs: one.path, evidence: one.evidence };
    }
  }
}

/** Of two paths the better known comes first; of those known alike, the shorter. */
const better = (one, other) => EVIDENCE.indexOf(one.evidence) - EVIDENCE.indexOf(other.evidence) || one.refs.length - other.refs.length;

/** {refs, lines, nodes, steps} of the best path between what is selected and what is asked about; empty without one. */
export function trailOf(graph, pieces, state) {
  const targets = new Set((graph.targets ?? []).map((one) => one.ref));
  const ends = ({ refs }) => (graph.path && !state.at) || (state.at && !targets.has(state.at) && (refs[0] === state.at || refs.at(-1) === state.at));
  const [found] = [...paths(graph)].filter(ends).sort(better);
  if (!found) return { refs: [], steps: [], lines: new Set(), nodes: new Set() };
  const steps = [];
  for (let n = found.refs.length - 1; n > 0; n -= 1) {
    const line = (pieces.causes.get(found.refs[n]) ?? []).find((one) => one.cause === found.refs[n - 1]);
    steps.push({ effect: found.refs[n], cause: found.refs[n - 1], line });
  }
  return { ...found, steps, lines: new Set(steps.map((step) => step.line?.id).filter(Boolean)), nodes: new Set(found.refs) };
}

export function pathLine(trail, state) {
  if (!trail.steps.length) return null;
  const name = (ref) => h("a", { class: "ref", href: address({ ...state, at: ref }), title: ref }, named(called(ref).name, 28));
  return h("div", { class: "pathline" }, h("span", { class: "sw" }),
    h("b", {}, `Best path, ${counted(trail.steps.length, "step")}, weakest step ${trail.evidence}.`),
    h("ol", {}, h("li", {}, name(trail.steps[0].effect)), ...trail.steps.map((step, n) => h("li", {}, h("span", { class: "pinno" }, n + 1),
      [...new Set((step.line?.joins ?? []).map((join) => relation(join.term)))].join(" and "), step.line && evidence(known(step.line)), name(step.cause)))));
}
