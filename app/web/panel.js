// The side panel: all that is known of one node, or of the edges that one line stands for.
import { address, go } from "./address.js";
import { get, Trouble } from "./api.js";
import { body } from "./body.js";
import { h, icon, named, shape } from "./dom.js";
import { fanOut } from "./fanout.js";
import { none } from "./states.js";
import { called, counted, evidence, known, MARKS, relation, shown, tag, utc, when } from "./words.js";

export function panel(id, { state, answer, pieces, question, signal }) {
  const where = h("aside", { class: "panel", "aria-label": "What is selected", tabindex: -1 });
  const found = pieces?.find(id);
  if (found?.points) lineOf(where, found, { state, answer, pieces, signal });
  else if (found?.members) fanOut(where, found, { state, close: closing(state) });
  else nodeOf(where, id, { state, answer, question, signal });
  return where;
}

const closing = (state) => h("button", { class: "btn plain s", type: "button", "aria-label": "Close the side panel", on: { click: () => go({ ...state, at: "" }) } }, icon("cross"));

async function nodeOf(where, ref, { state, answer, signal }) {
  const edges = [...answer.graph.edges ?? [], ...answer.graph.conditions ?? [], ...answer.graph.responsible ?? []];
  const node = (answer.graph.nodes ?? []).find((one) => one.ref === ref);
  if (node?.kinds.includes("restricted")) return restricted(where, node, edges, state, signal);
  const { name, version, what } = called(ref, node?.type);
  where.append(h("div", { class: "pane" },
    h("header", {}, h("h2", {}, h("span", {}, named(name, 80)), closing(state)),
      h("div", { class: "tags" }, ...shown((node?.marks ?? []).map((mark) => mark.kind)).map(tag), ...(node?.kinds ?? []).map((kind) => h("span", { class: "tag" }, h("span", { class: "kind" }, shape([kind]), kind))))),
    facts(ref, version, what, node), opening(ref, node, answer.graph, state), asking(ref, node, state)));
  const pane = where.firstChild;
  links(pane, "Links back to causes", edges.filter((edge) => edge.source === ref), "target", state, signal);
  links(pane, "Links out of it", edges.filter((edge) => edge.target === ref), "source", state, signal);
  try {
    const { nodes: [details] } = await get("/v1/nodes", [["ref", ref], ...(state.as_of ? [["as_of", state.as_of]] : [])], signal);
    pane.querySelector("section").after(...[versions(details, state), attributes(details)].filter(Boolean));
    const content = body(ref, details.bodies, { mark: node?.marks?.find((one) => one.kind === "deleted"), versions: details.others ?? [], kept: answer.availability?.bodies?.find((one) => one.ref === ref), state, signal });
    const first = pane.querySelector(".links");
    if (first) first.before(content);
    else pane.append(content);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Trouble)) throw error;
    pane.append(h("section", {}, h("p", { class: "small warn" }, named(error.message, 300))));
  }
}

/** What may be told of a node that is hidden from who asks: that it is there, and what it is joined to. */
function restricted(where, node, edges, state, signal) {
  where.append(h("div", { class: "pane" }, h("header", {}, h("h2", {}, h("span", {}, "Restricted"), closing(state)), h("div", { class: "tags" }, tag("restricted"))),
    h("section", {}, h("p", {}, "Something stands here that your credential may not see. It is counted, and the walk goes on through it; its name, its kind and its content are not told."))));
  links(where.firstChild, "Links back to causes", edges.filter((edge) => edge.source === node.ref), "target", state, signal);
  links(where.firstChild, "Links out of it", edges.filter((edge) => edge.target === node.ref), "source", state, signal);
}

/** A fold that can be opened, links that were not followed, and what was opened before. */
function opening(ref, node, graph, state) {
  const opened = (state.expand ?? []).includes(ref);
  const beyond = (graph.frontier ?? []).filter((one) => one.ref === ref);
  const link = (expand, label) => h("a", { class: "btn s", href: address({ ...state, expand }) }, label);
  const items = [
    node?.members > 0 && link([...state.expand ?? [], ref], `Unfold its ${counted(node.members, "node")}`),
    beyond.length > 0 && !opened && h("span", { class: "small quiet" }, beyond.map((one) => `${one.exact ? "" : "at least "}${counted(one.count, "link")} not followed (${one.reason.replaceAll("_", " ")})`).join(", ")),
    beyond.length > 0 && !opened && link([...state.expand ?? [], ref], "Follow them"),
    opened && link(state.expand.filter((one) => one !== ref), "Close it again"),
  ].filter(Boolean);
  return items.length > 0 && h("section", {}, h("div", { class: "btns" }, ...items));
}

function facts(ref, version, what, node) {
  const rows = [["Name", h("span", { class: "mono" }, named(ref, 400))], ["Version", version || none("none given")], ["Is", what || (node?.kinds ?? []).join(" and ")]];
  for (const mark of node?.marks ?? []) {
    const said = [mark.verdict?.replaceAll("_", " "), mark.by && `by ${mark.by}`, mark.reason && `“${mark.reason}”`].filter(Boolean).join(" ");
    if (said || mark.time || mark.event) rows.push([MARKS[mark.kind]?.[2] ?? mark.kind.replaceAll("_", " "), h("span", {}, mark.time ? [when(mark.time), ` (${utc(mark.time)}) `] : "", named(said, 400), mark.event ? `, event ${mark.event}` : "")]);
  }
  return h("section", {}, h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
}

function asking(ref, node, state) {
  const ask = (question, label) => h("a", { class: "btn s", href: address({ page: "ask", ask: question, target: [ref], view: state.view, as_of: state.as_of }) }, label);
  const retracted = (node?.marks ?? []).some((mark) => mark.kind === "retracted");
  return h("section", {}, h("div", { class: "btns" }, ask("inputs-of", "Its inputs"), ask("impact-of", "What came from it"), ask("who-authorized", "Who authorized it"), ask("how-known", "Why it is believed"),
    retracted && h("a", { class: "btn s main", href: address({ page: "worklists", target: [ref] }) }, "Worklist")));
}

function versions(details, state) {
  const all = [details.ref, ...(details.others ?? [])].sort().reverse();
  if (all.length < 2) return null;
  return h("section", {}, h("h3", {}, "Versions ", h("small", {}, `${all.length} known`)), h("ol", { class: "vers" }, ...all.slice(0, 30).map((ref) =>
    h("li", { "aria-current": ref === details.ref && "true" }, h("b", {}, named(called(ref).version.split(" ").at(-1) || "none", 14)), h("span", {}, ref === details.ref ? "this one" : [h("a", { href: address({ ...state, at: ref, target: [ref] }) }, named(called(ref).version || ref, 40)), " ", h("a", { class: "small", href: address({ page: "compare", target: [ref, details.ref], as_of: state.as_of }) }, "compare")])))));
}

function attributes(details) {
  const told = details.attributes.filter((one) => one.name !== "prov:type");
  if (!told.length) return null;
  return h("section", {}, h("h3", {}, "Attributes ", h("small", {}, counted(told.length, "statement"))), h("dl", { class: "facts" }, ...told.slice(0, 60).flatMap((one) => [
    h("dt", {}, named(one.name.replace(/^(clew|prov):/, ""), 40)),
    h("dd", {}, named(one.value, 500), " ", evidence(one.evidence), one.stance === "refutes" ? h("span", { class: "bad" }, " denied") : "", h("span", { class: "quiet" }, ` ${one.asserter}, event ${one.event}`))])));
}

function links(pane, title, edges, far, state, signal) {
  if (!edges.length) return;
  const section = h("section", { class: "links" }, h("h3", {}, title, " ", h("small", {}, String(edges.length))));
  for (const edge of edges.slice(0, 40)) section.append(assertions(edge, far, state, signal));
  if (edges.length > 40) section.append(h("p", { class: "small quiet" }, `40 of ${edges.length} shown; the table has all.`));
  pane.append(section);
}

/** One edge with every assertion behind it; who delivered them and when is read when it is asked for. */
function assertions(edge, far, state, signal) {
  if (!edge.assertions.length) return h("div", { class: "asr" }, h("p", {}, h("span", {}, edge.term ? relation(edge.term, far === "source") : `${edge.flow} link, ${far === "source" ? "to an effect" : "to a cause"}`, " ", named(called(edge[far]).name, 40)), edge.count > 1 && h("span", { class: "quiet" }, counted(edge.count, "edge"))), h("p", { class: "asrmore quiet small" }, edge.count > 1 ? "Edges of folded nodes, together." : "Who says so is not told to you."));
  const other = h("a", { href: address({ ...state, at: edge[far] }) }, named(called(edge[far]).name, 40));
  const list = h("ol", {}, ...edge.assertions.map((one) => stated(one)));
  const more = h("button", { class: "link small", type: "button", on: { click: () => behind(list, more, edge, state, signal) } }, "Who delivered it, and when");
  return h("div", { class: `asr ${edge.refuted ? "refuted" : ""}` },
    h("p", {}, h("span", {}, relation(edge.term, far === "source"), edge.role ? ` (${edge.role})` : "", " ", other), h("span", { class: "quiet" }, counted(edge.assertions.length, "assertion"))),
    list, h("p", { class: "asrmore" }, more));
}

function stated(one, report) {
  return h("li", {}, evidence(one.evidence), one.stance === "refutes" ? h("b", { class: "bad" }, " refutes it") : "",
    h("span", {}, [named(one.asserter, 80), one.method && `, ${one.method}`, `, event ${one.event}`, report && [`, delivered by `, named(report.reporter || "nobody: Clew concluded it", 60)], report?.source && `, ${report.source} ${report.id}`]));
}

async function behind(list, button, edge, state, signal) {
  button.disabled = true;
  try {
    const { graph } = await get("/v1/questions/how-known", [["target", edge.source], ["relation", edge.relation], ...(state.as_of ? [["as_of", state.as_of]] : [])], signal);
    const claim = graph.claims.find((one) => one.target === edge.target && one.argument === edge.argument) ?? graph.claims[0];
    list.replaceChildren(...claim.assertions.map((one) => stated({ stance: "supports", ...one }, one)));
    button.parentNode.remove();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Trouble)) throw error;
    button.disabled = false;
    list.append(h("li", { class: "warn" }, named(error.message, 200)));
  }
}

function lineOf(where, line, { state, answer, pieces, signal }) {
  const title = (id) => { const box = pieces.boxes.get(id); return box.members ? `${box.members.length} like nodes` : named(box.name, 40); };
  const members = (id) => new Set(pieces.boxes.get(id).members ?? [id]);
  const [causes, effects] = [members(line.cause), members(line.effect)];
  const edges = [...answer.graph.edges, ...answer.graph.conditions ?? [], ...answer.graph.responsible ?? []].filter((edge) => causes.has(edge.target) && effects.has(edge.source));
  const section = h("section", {}, h("h3", {}, "What it stands for ", h("small", {}, counted(edges.length, "edge"))));
  for (const edge of edges.slice(0, 60)) section.append(assertions(edge, "target", state, signal));
  where.append(h("div", { class: "pane" }, h("header", {}, h("h2", {}, h("span", {}, title(line.effect), " ← ", title(line.cause)), closing(state)), h("div", { class: "tags" }, evidence(known(line)))), section));
}
