// Who authorized a write, as four steps: asked, allowed, tried, done; then the arguments side by side.
import { h, icon, named } from "./dom.js";
import { node } from "./answer.js";
import { EFFECTS, evidence, outcome, when } from "./words.js";
import { none } from "./states.js";

const WORDS = { allow: ["Allowed", "tick", "good"], deny: ["Denied", "deny", "bad"], modify: ["Allowed, modified", "warn", "warn"], ask: ["Asked back", "ask", "warn"], expired: ["Expired", "clock", "bad"], revoked: ["Revoked", "clock", "bad"] };
const STEPS = [["proposed", "1. Asked"], ["shown", "2. Shown to the decider"], ["authorized", "2. Authorized"], ["executed", "3. Sent"], ["expected", "4. Expected"], ["observed", "4. Read back"]];

export const authority = (writes, state) => writes.map((write, n) => card(write, n, state));

function card(write, n, state) {
  const steps = [asked(write, state), allowed(write, state), tried(write, state), done(write)];
  return h("article", { class: "card write", "aria-labelledby": `w${n}` },
    h("header", {}, h("div", {}, h("h2", { id: `w${n}` }, node(write.write || write.attempt, state), " ", h("span", { class: "quiet" }, write.ended || write.started ? when(write.ended || write.started) : "")),
      h("p", { class: "small quiet" }, [write.mode, write.possible && "possible write: no report says that it was done"].filter(Boolean).join(", "))),
      h("div", { class: "tags" }, ...(write.outcomes ?? []).map((name) => { const { word, sign, tone } = outcome(name); return h("span", { class: `tag ${tone}` }, icon(sign), word); }))),
    h("ol", { class: "steps" }, ...steps),
    ...(write.findings ?? []).map((finding) => h("div", { class: `hole ${outcome(finding.outcome).tone === "bad" ? "" : "w"}` }, icon(outcome(finding.outcome).sign),
      h("p", {}, h("b", {}, `${cap(outcome(finding.outcome).word)}. `), named(finding.detail ?? "", 400), finding.basis ? ` (${finding.basis.replaceAll("_", " ")})` : ""), h("span"))),
    arguments_(write));
}

const cap = (text) => text[0].toUpperCase() + text.slice(1);

function step(number, [word, sign, tone], facts, known) {
  const told = facts.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return h("li", { class: `step is-${tone || "plain"}` }, h("span", { class: "no" }, number), h("div", { class: "st" }, icon(sign), word),
    h("dl", {}, ...told.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])), known && evidence(known));
}

function asked(write, state) {
  const [one, ...more] = write.asked ?? [];
  if (!one) return step("1. Asked", ["Not recorded", "hole", "warn"], [["By", none("not recorded")]]);
  return step("1. Asked", ["Proposed", "add", ""], [
    ["By", one.by?.length ? one.by.map((ref) => node(ref, state)) : none("not recorded")], ["At", when(one.time)], ["Tool", node(one.tool, state)],
    ["Event", String(one.event)], ["Also", more.length ? `${more.length} more` : ""]], "observed");
}

function allowed(write, state) {
  const [one, ...more] = write.decisions ?? [];
  if (!one) return step("2. Allowed?", ["No decision recorded", "hole", "bad"], [["By", none("nobody recorded")]]);
  const known = one.decider?.authenticated === "authenticated" ? "signed in" : "name not checked";
  return step("2. Allowed?", WORDS[one.verdict] ?? [one.verdict, "ask", "warn"], [
    ["By", one.decider ? [node(one.decider.id, state), `, ${known}`] : none("not named")], ["At", when(one.time)],
    ["Rule", one.policy?.rule ? named(one.policy.rule, 80) : none("none named")], ["Covers", one.covers ? "this write" : "something else"],
    ["Event", String(one.event)], ["Also", more.length ? `${more.length} more` : ""]], "observed");
}

function tried(write, state) {
  const named_ = (write.decisions ?? []).some((one) => one.named);
  const bad = (write.outcomes ?? []).some((name) => outcome(name).tone === "bad");
  return step("3. Tried", write.attempt ? [bad ? "Done anyway" : "Tried", bad ? "warn" : "list", bad ? "bad" : ""] : ["Not recorded", "hole", "warn"], [
    ["Attempt", write.attempt ? node(write.attempt, state) : none("not recorded")], ["Tool", write.tool ? node(write.tool, state) : none("not recorded")],
    ["At", when(write.started)], ["Grant", named_ ? "named by the attempt" : none("none named")],
    ["Also", write.other_attempts?.length ? `${write.other_attempts.length} other attempts` : ""]], write.attempt ? "observed" : "");
}

function done(write) {
  const [word, sign, tone] = EFFECTS[write.effect] ?? [write.effect ?? "Unknown", "ask", "warn"];
  return step("4. Done?", [word, sign, tone], [["Said", (write.outcome ?? []).join(", ") || none("nothing")], ["Read back", write.effect?.startsWith("confirmed") ? "yes" : write.effect === "contradicted" ? "both ways" : none("not recorded")], ["At", when(write.ended)]], write.evidence);
}

/** Tags A, B ... tell equal values from unlike ones; no value is shown. */
function arguments_(write) {
  const rows = write.differences ?? [];
  if (!rows.length) return h("footer", {}, "No argument is recorded to differ between what was asked, allowed and sent.");
  const columns = STEPS.filter(([name]) => rows.some((row) => row[name]));
  return [h("div", { class: "subhead" }, h("h3", {}, "What was compared"), h("span", { class: "small quiet" }, "equal letters are equal values; the values stay where they are kept")),
    h("table", { class: "data stackt" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Argument"), ...columns.map(([, label]) => h("th", { scope: "col" }, label)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, h("th", { scope: "row" }, named(row.pointer || "the whole call", 100)), ...columns.map(([name, label]) => h("td", { "data-h": label }, compared(row, name)))))))];
}

function compared(row, name) {
  if (!row[name]) return none("not recorded");
  const first = STEPS.map(([one]) => row[one]).find(Boolean);
  const same = row[name] === first;
  return h("span", { class: "cell" }, h("span", { class: "dg" }, named(row[name], 24)), name === STEPS.find(([one]) => row[one])[0] ? "" : h("span", { class: same ? "eq" : "ne" }, icon(same ? "tick" : "cross"), same ? "same" : "differs"));
}
