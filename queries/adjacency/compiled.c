/* The loops of an index that NumPy would need many passes for (docs/adr/0046-compiled-code.md): steps of a walk through
   the first segment, and how rows come to their places when an index is loaded.

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

typedef struct {
    /* One side of the segment (segments.py): by node, two pointers; by row, word and lower half of its number. */
    const uint64_t *bounds, *word;
    const uint16_t *low;
    /* By the sixteen bits of a row, what is to be done with it: mostly, and from a suspect. */
    const uint8_t *table, *closely;
    /* Nodes that are suspect, ascending; and by what `mask` leaves of a node, whether it may be one. */
    const uint32_t *suspects;
    const uint8_t *sieve;
    /* By node: whether it has rows elsewhere (NULL: none has), and its mark. */
    const uint8_t *later;
    uint8_t *marks;
    uint64_t limit;    /* the number of the last row that is seen */
    int64_t nodes;     /* nodes that have a mark */
    int64_t segment;   /* nodes that have pointers here */
    int64_t most;      /* rows of a node from which on it is handed back */
    uint32_t beyond;   /* whether flows other than data are followed */
    uint32_t watch;    /* bit of the table for which a row is noted that is crossed, or 0 */
    uint32_t mask;
    int64_t suspected; /* how many are suspect */
    /* Arrays that grow: room for so many, of which so many are used. */
    uint32_t *given;   /* nodes to step from or to reach; after a step, those that are handed back */
    uint32_t *order;   /* the nodes reached, in the order in which they were */
    uint32_t *waiting; /* nodes that wait for the next level; some of them are reached meanwhile */
    uint32_t *rows;    /* rows handed back: the node and the place of each */
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

static int is_suspect(const walk *w, uint32_t node)
{
    if (!w->suspected || !w->sieve[node & w->mask])
        return 0;
    int64_t low = 0, high = w->suspected;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (w->suspects[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->suspected && w->suspects[low] == node;
}

static int64_t put(uint32_t *rows, int64_t count, uint32_t node, uint64_t place)
{
    rows[2 * count] = node;
    rows[2 * count + 1] = (uint32_t)place;
    return count + 1;
}

/* Cross the rows at [begin, end) of a node. */
INLINE void cross_rows(walk *w, uint32_t node, uint64_t begin, uint64_t end, const uint8_t *table)
{
    uint64_t last_block = w->limit >> 16;
    for (uint64_t at = begin; at < end; at++) {
        uint64_t word = w->word[at], block = word >> 32 & 0xFFFF;
        uint32_t far = (uint32_t)word;
        uint8_t told = table[word >> 48];
        if (!told)
            continue;
        int fresh = told > w->marks[far];
        if (!(fresh || told & w->watch) || (block >= last_block && (block << 16 | w->low[at]) > w->limit))
            continue;
        if (told & LOOK) {
            w->odd = put(w->rows, w->odd, node, at);
            continue;
        }
        if (told & w->watch)
            w->noted = put(w->watched, w->noted, node, at);
        if (fresh && told & COSTLY) {
            w->marks[far] = WAITS;
            w->waiting[w->waits++] = far;
        } else if (fresh) {
            w->marks[far] = REACHED;
            w->order[w->reached++] = far;
        }
    }
}

/* Step from a node, or hand it back. Returns 0 when there is no room for the `wanted` rows that this takes. */
INLINE int step_from(walk *w, uint32_t node)
{
    if (node < w->segment && !(w->later && w->later[node])) {
        uint64_t here = w->bounds[node], begin = (uint32_t)here;
        uint64_t end = w->beyond ? (uint32_t)w->bounds[node + 1] : here >> 32;
        int64_t rows = (int64_t)(end - begin);
        if (rows <= w->most) {
            w->wanted = rows;
            if (lacks_room(w, rows))
                return 0;
            w->touched += rows;
            cross_rows(w, node, begin, end, is_suspect(w, node) ? w->closely : w->table);
            return 1;
        }
    }
    w->wanted = 1;
    if (w->handed == w->given_room)
        return 0;
    w->given[w->handed++] = node;
    return 1;
}

/* Looks into memory overlap when they are asked for ahead: pointers first, then what they point to, then the
   mark of the first that is met. */
INLINE void ask_ahead(const walk *w, const uint32_t *nodes, int64_t count)
{
    if (count > 24 && nodes[24] < w->segment)
        __builtin_prefetch(w->bounds + nodes[24]);
    if (count > 12 && nodes[12] < w->segment)
        __builtin_prefetch(w->word + (uint32_t)w->bounds[nodes[12]]);
    if (count > 4 && nodes[4] < w->segment) {
        uint64_t here = w->bounds[nodes[4]];
        if (here >> 32 > (uint32_t)here)
            __builtin_prefetch(w->marks + (uint32_t)w->word[(uint32_t)here], 1);
    }
}

/* Step from given[first..count): go on with it where `first` is not 0. Nodes and rows from which to step in another
   way are handed back. Returns `count`, or the place of a node for which there is no room. */
int64_t step(walk *w, int64_t first, int64_t count)
{
    if (!first)
        w->handed = w->odd = 0;
    for (int64_t i = first; i < count; i++) {
        ask_ahead(w, w->given + i, count - i);
        if (!step_from(w, w->given[i]))
            return i;
    }
    return count;
}

/* Step from order[first] on, and from all that is reached that way at no cost: from the whole of a level. Returns
   `reached`, or the place of a node for which there is no room. */
int64_t close_level(walk *w, int64_t first)
{
    int64_t i = first;
    for (; i < w->reached; i++) {
        ask_ahead(w, w->order + i, w->reached - i);
        if (!step_from(w, w->order[i]))
            break;
    }
    return i;
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
