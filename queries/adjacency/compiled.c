/* The loops of an index that NumPy would need many passes for (docs/adr/0046-compiled-code.md): steps of a walk through
   its segments, and how rows come to their places when an index is loaded.

   The Python beside this holds every array for as long as a call runs. Nothing is kept between calls but in what is
   given, so any number of threads may call at once, each with a walk of its own. A writer may meanwhile set bits of a
   word or a byte of `later`: each is read once, and whole. */

#include <stdint.h>
#include <string.h>

/* What a table says of a row (crossing.py), and what the marks say of a node (marks.py). A row is crossed to a node
   when more is said of it than of the node: one that is free to a node that waits, none to one that is reached. */
enum { COSTLY = 2, LOOK = 4, WAITS = 15, REACHED = 255 };

/* Of a function that only asks for memory ahead, a compiler that does not inline it leaves out the calls, as it has no
   effect: a walk over ten million edges then takes half as long again. */
#define INLINE static inline __attribute__((always_inline))

/* What is said of a node in `later`: that it has rows which are not here, and from OTHERS on in which of the segments after the
   first one it has some: a bit for each, and one for all that have none of their own. */
enum { ELSEWHERE = 1, OTHERS = 4, BITS = 6, SEGMENTS = 40 };

/* One side of a segment after the first one. Its pointers are those of `nodes`, ascending, or of every node (NULL). */
typedef struct {
    const uint64_t *bounds, *word;
    const uint16_t *low;
    const uint32_t *nodes;
    int64_t size;    /* nodes that have pointers */
    uint64_t offset; /* the place of its first row among those of all segments */
} other;

typedef struct {
    /* One side of the first segment (segments.py): by node, two pointers; by row, word and lower half of its number. */
    const uint64_t *bounds, *word;
    const uint16_t *low;
    /* By the sixteen bits of a row, what is to be done with it: mostly, and from a suspect. */
    const uint8_t *table, *closely;
    /* Nodes that are suspect, ascending; and by what `mask` leaves of a node, whether it may be one. */
    const uint32_t *suspects;
    const uint8_t *sieve;
    /* By node: where it has rows beside the first segment (NULL: nowhere), and its mark. */
    const uint8_t *later;
    uint8_t *marks;
    const other *others;
    uint64_t limit;    /* the number of the last row that is seen */
    uint64_t first;    /* rows of the first segment */
    int64_t nodes;     /* nodes that have a mark */
    int64_t segment;   /* nodes that have pointers in the first segment */
    int64_t count;     /* other segments, fewer than SEGMENTS */
    int64_t most;      /* rows of a node from which on it is handed back */
    uint32_t beyond;   /* whether flows other than data are followed */
    uint32_t watch;    /* bit of the table for which a row is noted that is crossed, or 0 */
    uint32_t mask;
    int64_t suspected; /* how many are suspect */
    /* Arrays that grow: room for so many, of which so many are used. */
    uint32_t *given;   /* nodes to step from or to reach; after a step, those that are handed back */
    uint32_t *order;   /* the nodes reached, in the order in which they were */
    uint32_t *waiting; /* nodes that wait for the next level; some of them are reached meanwhile */
    uint32_t *rows;    /* rows handed back: the node and the place of each, among those of all segments */
    uint32_t *watched; /* rows noted, alike */
    int64_t given_room, order_room, waiting_room, rows_room, watched_room;
    int64_t handed, reached, waits, odd, noted;
    int64_t touched;   /* rows looked at */
    int64_t wanted;    /* rows of the node that there was no room for */
} walk;

static int lacks_room(const walk *w, int64_t rows)
{
    return rows > w->order_room - w->reached || rows > w->waiting_room - w->waits
        || 2 * (w->odd + rows) > w->rows_room || 2 * (w->noted + rows) > w->watched_room;
}

/* Where a node stands among some that ascend; `count` when it is not there. */
static int64_t find(const uint32_t *nodes, int64_t count, uint32_t node)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (nodes[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && nodes[low] == node ? low : count;
}

static int is_suspect(const walk *w, uint32_t node)
{
    return w->suspected && w->sieve[node & w->mask] && find(w->suspects, w->suspected, node) < w->suspected;
}

/* The lower half of the number of a row, by its place among those of all segments. */
INLINE uint16_t low_of(const walk *w, uint64_t at)
{
    if (at < w->first)
        return w->low[at];
    int64_t last = w->count - 1;
    while (at < w->others[last].offset)
        last--;
    return w->others[last].low[at - w->others[last].offset];
}

static int64_t put(uint32_t *rows, int64_t count, uint32_t node, uint64_t place)
{
    rows[2 * count] = node;
    rows[2 * count + 1] = (uint32_t)place;
    return count + 1;
}

/* Cross a row. What a filter lets through and what is reached for the first time no processor foresees: there is no branch
   but on what is rare. There is room in both arrays for a row that goes to neither. */
INLINE void cross(walk *w, uint32_t node, uint64_t at, uint64_t word, const uint8_t *table)
{
    uint64_t block = word >> 32 & 0xFFFF;
    uint32_t far = (uint32_t)word;
    uint8_t told = table[word >> 48], mark = w->marks[far];
    if (block >= w->limit >> 16 && (block << 16 | low_of(w, at)) > w->limit)
        return;
    int fresh = told > mark, costly = (told & COSTLY) != 0;
    if (told & (LOOK | w->watch)) {
        if (!fresh && !(told & w->watch))
            return;
        if (told & LOOK) {
            w->odd = put(w->rows, w->odd, node, at);
            return;
        }
        w->noted = put(w->watched, w->noted, node, at);
    }
    w->order[w->reached] = w->waiting[w->waits] = far;
    w->reached += fresh & !costly;
    w->waits += fresh & costly;
    uint8_t now = costly ? WAITS : REACHED;
    w->marks[far] = fresh ? now : mark;
}

/* What crossing changes of a walk. It is done on a copy, which no pointer leads to, and so stays in registers. */
INLINE void keep_counts(walk *w, const walk *crossed, int64_t rows)
{
    w->reached = crossed->reached;
    w->waits = crossed->waits;
    w->odd = crossed->odd;
    w->noted = crossed->noted;
    w->touched += rows;
}

/* Rows of nodes that are stepped from together: looks into memory overlap when one kind is done for all of them before the
   next. A node has FEW rows at most to be among them, mostly no more than USUAL, which are written whether there or not. */
enum { TOGETHER = 64, FEW = 16, USUAL = 4, ROOM = TOGETHER * FEW + USUAL };

typedef struct {
    int64_t rows;
    uint32_t node[ROOM], at[ROOM];
    uint64_t word[ROOM];
} batch;

/* Rows of one node, in one segment: their words, and the place of the first among those of all segments. */
typedef struct {
    const uint64_t *word;
    uint64_t at;
    int64_t rows;
} span;

INLINE void gather(batch *b, uint32_t node, uint64_t at, int64_t rows)
{
    uint32_t *nodes = b->node + b->rows, *places = b->at + b->rows;
    for (uint32_t i = 0; i < USUAL; i++)
        nodes[i] = node, places[i] = (uint32_t)at + i;
    for (uint32_t i = USUAL; i < rows; i++)
        nodes[i] = node, places[i] = (uint32_t)at + i;
    b->rows += rows;
}

/* Those of other segments are looked up now, as few are of these. */
static void gather_all(batch *b, uint32_t node, const span *spans, int count)
{
    for (int i = 0; i < count; i++) {
        for (int64_t k = 0; k < spans[i].rows; k++)
            b->word[b->rows + k] = spans[i].word[k];
        gather(b, node, spans[i].at, spans[i].rows);
    }
}

INLINE void cross_gathered(walk *w, batch *b)
{
    walk here = *w;
    for (int64_t i = 0; i < b->rows; i++) {
        if (b->at[i] < here.first)
            b->word[i] = here.word[b->at[i]];
        __builtin_prefetch(here.marks + (uint32_t)b->word[i], 1);
    }
    for (int64_t i = 0; i < b->rows; i++)
        cross(&here, b->node[i], b->at[i], b->word[i], here.table);
    keep_counts(w, &here, b->rows);
}

/* Cross the rows of a node that has many, or is suspect. Returns 0 when there is no room for them. */
static int cross_alone(walk *w, uint32_t node, const span *spans, int count, int64_t rows)
{
    w->wanted = rows;
    if (lacks_room(w, rows))
        return 0;
    walk here = *w;
    const uint8_t *table = is_suspect(w, node) ? w->closely : w->table;
    for (int i = 0; i < count; i++)
        for (int64_t k = 0; k < spans[i].rows; k++)
            cross(&here, node, spans[i].at + (uint64_t)k, spans[i].word[k], table);
    keep_counts(w, &here, rows);
    return 1;
}

INLINE span span_of(const walk *w, const uint64_t *bounds, const uint64_t *word, uint64_t offset)
{
    uint64_t begin = (uint32_t)bounds[0], end = w->beyond ? (uint32_t)bounds[1] : bounds[0] >> 32;
    return (span){word + begin, offset + begin, (int64_t)(end - begin)};
}

/* The rows of a node in each segment where it has some; in how many. */
static int all_spans(const walk *w, uint32_t node, span *spans)
{
    int found = 0, told = w->later ? w->later[node] : 0;
    if (node < w->segment)
        spans[found++] = span_of(w, w->bounds + node, w->word, 0);
    for (int64_t i = 0; i < w->count && told >= OTHERS; i++) {
        const other *o = w->others + i;
        if (!(told & OTHERS << (i < BITS ? i : BITS - 1)))
            continue;
        int64_t place = o->nodes ? find(o->nodes, o->size, node) : node;
        if (place < o->size)
            spans[found++] = span_of(w, o->bounds + place, o->word, o->offset);
    }
    return found;
}

INLINE void ask_ahead(const walk *w, const uint32_t *nodes, int64_t count)
{
    for (int64_t i = 0; i < TOGETHER && i < count; i++)
        if (nodes[i] < w->segment)
            __builtin_prefetch(w->bounds + nodes[i]);
}

/* Step from the first of some nodes, or hand them back. Returns from how many: from none when there is no room for what is
   `wanted`. */
INLINE int64_t step_from(walk *w, const uint32_t *nodes, int64_t count)
{
    batch b;
    span spans[SEGMENTS];
    b.rows = 0;
    w->wanted = ROOM;
    if (lacks_room(w, ROOM))
        return 0;
    ask_ahead(w, nodes + TOGETHER, count - TOGETHER);
    int64_t i = 0;
    for (; i < TOGETHER && i < count; i++) {
        uint32_t node = nodes[i];
        int plain = !(w->later && w->later[node]) && node < w->segment, several = 1;
        int64_t rows = INT64_MAX;
        if (plain) {
            spans[0] = span_of(w, w->bounds + node, w->word, 0);
            rows = spans[0].rows;
        } else if (w->later && !(w->later[node] & ELSEWHERE)) {
            several = all_spans(w, node, spans);
            rows = 0;
            for (int k = 0; k < several; k++)
                rows += spans[k].rows;
        }
        if (rows > w->most) {
            if (w->handed == w->given_room)
                break;
            w->given[w->handed++] = node;
        } else if (rows > FEW || is_suspect(w, node)) {
            if (i)
                break;
            return cross_alone(w, node, spans, several, rows);
        } else if (plain) {
            __builtin_prefetch(spans[0].word);
            gather(&b, node, spans[0].at, rows);
        } else {
            gather_all(&b, node, spans, several);
        }
    }
    cross_gathered(w, &b);
    return i;
}

/* Step from given[first..count): go on with it where `first` is not 0. Nodes and rows from which to step in another
   way are handed back. Returns `count`, or the place of a node for which there is no room. */
int64_t step(walk *w, int64_t first, int64_t count)
{
    int64_t done = 1;
    if (!first)
        w->handed = w->odd = 0;
    for (; done && first < count; first += done)
        done = step_from(w, w->given + first, count - first);
    return first;
}

/* Step from order[first] on, and from all that is reached that way at no cost: from the whole of a level. Returns
   `reached`, or the place of a node for which there is no room. */
int64_t close_level(walk *w, int64_t first)
{
    int64_t done = 1;
    for (; done && first < w->reached; first += done)
        done = step_from(w, w->order + first, w->reached - first);
    return first;
}

/* Reach nodes[0..count), each once; there is room. Returns 0, or -1 when a node has no mark. */
int enter(walk *w, const uint32_t *nodes, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t node = nodes[i];
        if (node >= w->nodes)
            return -1;
        if (w->marks[node] != REACHED) {
            w->marks[node] = REACHED;
            w->order[w->reached++] = node;
        }
    }
    return 0;
}

/* Forget of those that wait the ones that were reached meanwhile; one without a mark stays, for `enter` to refuse. */
void settle(walk *w)
{
    int64_t left = 0;
    for (int64_t i = 0; i < w->waits; i++) {
        uint32_t node = w->waiting[i];
        if (node >= w->nodes || w->marks[node] != REACHED)
            w->waiting[left++] = node;
    }
    w->waits = left;
}

/* One side of a segment. Of each row: the node at this end, the one at the other, the sixteen bits, and the number, in the
   order of which they are given. */
typedef struct {
    const uint32_t *near, *far, *number;
    const uint16_t *bits;
    uint64_t rows, size;
    uint32_t data; /* places of codes below this one are of data */
    uint32_t *next; /* room for two for each node: how many rows of data and how many others, then where the next goes */
    /* What comes of it (segments.py). */
    uint64_t *bounds, *word;
    uint16_t *low;
} side;

static uint64_t flow_of(const side *s, uint64_t row)
{
    return 2 * (uint64_t)s->near[row] + ((s->bits[row] & 0xFF) >= s->data);
}

/* Put the rows of a side in the order of node, flow and number, by counting. */
void arrange(const side *s)
{
    uint32_t begin = 0;
    memset(s->next, 0, 2 * s->size * sizeof *s->next);
    for (uint64_t row = 0; row < s->rows; row++)
        s->next[flow_of(s, row)]++;
    for (uint64_t node = 0; node < s->size; node++) {
        uint32_t middle = begin + s->next[2 * node], end = middle + s->next[2 * node + 1];
        s->bounds[node] = (uint64_t)middle << 32 | begin;
        s->next[2 * node] = begin;
        s->next[2 * node + 1] = middle;
        begin = end;
    }
    s->bounds[s->size] = s->bounds[s->size + 1] = (uint64_t)begin << 32 | begin;
    for (uint64_t row = 0; row < s->rows; row++) {
        uint32_t at = s->next[flow_of(s, row)]++, number = s->number[row];
        s->word[at] = (uint64_t)s->bits[row] << 48 | (uint64_t)(number >> 16) << 32 | s->far[row];
        s->low[at] = (uint16_t)number;
    }
}

/* The sixteen bits of each row of a part: its code's place, and what its weight says. Columns of a part stand at any
   address. Returns 0, or -1 when a code has no place. */
int tell(const unsigned char *code, const uint8_t *weight, int64_t rows, const uint16_t *places, int64_t codes,
         const uint16_t *weights, uint16_t *bits)
{
    for (int64_t row = 0; row < rows; row++) {
        uint16_t here;
        memcpy(&here, code + 2 * row, sizeof here);
        if (here >= codes)
            return -1;
        bits[row] = places[here] | weights[weight[row]];
    }
    return 0;
}

/* The places of rows whose node is marked; how many. */
int64_t marked(const uint32_t *node, int64_t rows, const uint8_t *marks, uint32_t *found)
{
    int64_t count = 0;
    for (int64_t row = 0; row < rows; row++)
        if (marks[node[row]])
            found[count++] = (uint32_t)row;
    return count;
}

/* The number of the last row by each seq from `begin` on, below `end`, where it was `before` until then. `since`, the seqs of
   rows numbered from `first` on, never falls. Returns 0, or -1 when a row is of another seq. */
int number(const uint32_t *since, int64_t rows, uint64_t first, uint64_t begin, uint64_t end, uint64_t before, uint64_t *last)
{
    uint64_t known = begin;
    for (int64_t row = 0; row < rows; row++) {
        if (since[row] < begin || since[row] >= end)
            return -1;
        while (known <= since[row])
            last[known++ - begin] = before;
        before = last[since[row] - begin] = first + (uint64_t)row;
    }
    return 0;
}
