// What two texts say differently, line by line: a longest common subsequence after the equal ends are set aside.
const MOST = 2000;

/** [[sign, line]]: " " in both, "-" only in the first, "+" only in the second; undefined when they are too long. */
export function lines(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const [m, n] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  if (m.length > MOST || n.length > MOST) return undefined;
  return [...a.slice(0, head).map((line) => [" ", line]), ...middle(m, n), ...a.slice(a.length - tail).map((line) => [" ", line])];
}

function middle(m, n) {
  const longest = Array.from({ length: m.length + 1 }, () => new Uint16Array(n.length + 1));
  for (let i = m.length - 1; i >= 0; i -= 1) for (let j = n.length - 1; j >= 0; j -= 1) longest[i][j] = m[i] === n[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const found = [];
  let [i, j] = [0, 0];
  while (i < m.length && j < n.length) {
    if (m[i] === n[j]) { found.push([" ", m[i]]); i += 1; j += 1; }
    else if (longest[i + 1][j] >= longest[i][j + 1]) { found.push(["-", m[i]]); i += 1; }
    else { found.push(["+", n[j]]); j += 1; }
  }
  return [...found, ...m.slice(i).map((line) => ["-", line]), ...n.slice(j).map((line) => ["+", line])];
}
