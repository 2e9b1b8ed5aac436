// What the text of a compiled kernel stands on: a wave's state, memories that check addresses, numbers, and turns.
//
// Before it come LANES, VECTORS and ACCUMULATORS (registers of each lane), and behind it `run_wave`, which carries out
// a wave from where it stands to its end, a barrier, a fault, or the end of its turn.
//
// With CHECKED a run ends with DOUBT where it comes to what the numpy machine may call a fault: another wave's access
// of the same place, two lanes that store other values to one, a wave that has ended behind a barrier.  What nothing
// defines is noise, and `Run.noisy` says whether any was read.  With `Run.traces` that does not matter: they have of each
// wave what must not depend on which of two kinds the noise is: addresses, branches, and what is stored.

typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef int32_t s32;
typedef int64_t s64;

#ifndef CHECKED
#define CHECKED 0
#endif

#define WHOLE __attribute__((noinline))  // one piece of code, however often it is called

enum { ENDED, BARRIER, YIELD, FAULT };                        // how run_wave returns
enum { GLOBAL, LDS, SCRATCH, FLAT, CONSTANT, M0 };            // spaces; and what else has an address
enum { ADDRESS = 1, READ_ONLY, ALIGNMENT, REFUSED, CONTROL, STEPS, STUCK, DOUBT };  // kinds of faults

static const uint32_t POISON = 0xDBDBDBDB;  // what nothing wrote
static const uint64_t TURN = 1 << 16;       // instructions after which another wave goes on
static const uint32_t NOISE = 1 << 15;      // words of noise that are looked at from one place on; there are twice as many

struct Region {
  uint64_t address, size;
  uint8_t *data, *writable;  // `writable`: a truth for each byte; 0: all
  uint8_t *defined;          // the same; 0: all
  uint32_t *writer, *reader; // of each worker and place: the wave's number and 1; 0: nobody; both 0: not looked at
  uint64_t places, touched;  // places of a worker; 1: read, 2: written
};

struct Run {
  uint64_t regions, blocks, waves, lds_bytes, scratch_bytes, scratch_stride, strict, step_limit, start;
  uint64_t scalars, varying, vectors;  // numbers of registers that are given to all blocks' waves, to each, to lanes
  Region *region;
  const uint32_t *scalar_number, *scalar;    // [scalars], [waves][scalars]
  const uint32_t *varying_number, *vary;     // [varying], [varying][blocks][waves]
  const uint32_t *thread;                    // v0 and so on: [vectors][waves][LANES]
  const uint64_t *exec;                      // [waves]
  void (*call)(uint64_t number, uint64_t lanes, const uint64_t *words, uint64_t *result);
  int64_t (*buffer)(uint64_t upper, uint64_t flags);  // 1: no range is checked; 0: one is; -1: not modelled
  uint64_t lds_base, scratch_base;           // upper words of addresses
  uint64_t next, limit;                      // the next block; blocks from `limit` on are not run
  uint64_t steps, unaligned;                 // instructions that were carried out; whether one was not aligned
  uint64_t lock, fault, where, block, wave, lane, address, size, space;  // the fault of the first block that has one
  const char *why;
  uint64_t place, place_in_lds;              // bytes of a place of global memory, and of LDS
  const uint32_t *noise;                     // [2 NOISE]
  uint64_t *traces;                          // [blocks][waves]
  uint64_t most, orders;                     // instructions of the wave that took most; whether LDS is watched
  uint64_t work;                             // instructions of all waves after which no other block begins
  const uint64_t *defined;                   // a bit of each scalar register that `scalar` and `vary` define
  uint64_t noisy;                            // whether what nothing defines was read; looked for without `traces`
  uint64_t kind;                             // which of two kinds the noise is of; of one bit each has the other
};

struct Wave {
  uint32_t v[VECTORS][LANES], a[ACCUMULATORS][LANES];
  uint32_t s[128];
  uint32_t x[LANES];  // EXEC: all ones of an active lane
  uint64_t exec;
  uint32_t m0;
  bool scc, full;
  uint64_t pc, steps, until, number, signals, waits;
  int state;
  uint8_t *scratch;
  uint64_t trace;
  uint32_t mark[LANES];
  uint64_t dv[VECTORS], da[ACCUMULATORS], ds[3];  // the lanes of each register that were written; scalar ones, M0, SCC
  uint64_t noise;                                 // not 0: what nothing wrote was read
};

struct Block {
  Run *run;
  Region *near;
  uint8_t *lds;
  uint64_t number, ticks, where;
  Wave *wave;
  uint64_t upper, flags;  // of a buffer that was accessed, and what `Run.buffer` says of it
  int64_t how;
  uint32_t *touch;  // of each place of LDS the wave that wrote it, and when, and those that read it, and when; or 0
  uint64_t worker, barriers, fresh;  // `barriers`: more than waves of blocks before came to
  uint64_t places, shift, shift_in_lds;  // of LDS; and the bits within a place
  bool blurry;                           // whether there is memory that is not defined
};

static WHOLE void set_exec(Wave *W) {
  W->exec = W->s[126] | (LANES == 64 ? (uint64_t)W->s[127] << 32 : 0);
  W->full = W->exec == (LANES == 64 ? ~0ull : 0xFFFFFFFFull);
  for (unsigned l = 0; l < LANES; l++) W->x[l] = W->exec >> l & 1 ? ~0u : 0;
}

static inline uint32_t chosen(uint32_t bits, uint32_t of, uint32_t or_of) { return (of & bits) | (or_of & ~bits); }

// Faults.  That of the first block is kept, so what is found does not depend on the threads.

static void __attribute__((noinline, cold)) fault_at(Block *B, Wave *W, unsigned kind, unsigned lane, uint64_t address, uint64_t size,
                                                     unsigned space, const char *why) {
  Run *R = B->run;
  while (__atomic_exchange_n(&R->lock, 1, __ATOMIC_ACQUIRE)) {}
  if (!R->fault || B->number < R->block) {
    R->fault = kind, R->where = B->where, R->block = B->number, R->wave = W ? W->number : 0, R->lane = lane;
    R->address = address, R->size = size, R->space = space, R->why = why;
  }
  if (B->number < R->limit) __atomic_store_n(&R->limit, B->number, __ATOMIC_RELAXED);
  __atomic_store_n(&R->lock, 0, __ATOMIC_RELEASE);
}

static WHOLE int refuse(Block *B, const char *why) {
  fault_at(B, B->wave, REFUSED, 0, 0, 0, 0, why);
  return FAULT;
}

static bool alike(Block *B) {
  fault_at(B, B->wave, CONTROL, 0, 0, 0, 0, "lanes that must hold one element alike hold different values");
  return false;
}

static WHOLE int stop(Block *B, unsigned kind, const char *why) {
  fault_at(B, B->wave, kind, 0, 0, 0, 0, why);
  return FAULT;
}

// What is looked for with CHECKED.

static bool __attribute__((noinline, cold)) doubtful(Block *B) {
  fault_at(B, B->wave, DOUBT, 0, 0, 0, 0, "");
  return false;
}

static int doubt(Block *B) {
  doubtful(B);
  return FAULT;
}

static inline uint64_t mixed(uint64_t trace, uint64_t word) {
  trace = (trace ^ word) * 0x9E3779B97F4A7C15ull;
  return trace ^ trace >> 29;
}

// What must not depend on noise.
static inline bool heed(Wave *W, bool truth) {
  if (CHECKED) W->trace = mixed(W->trace, truth);
  return truth;
}

static inline uint32_t marked(uint32_t mark, uint32_t word) {
  mark = (mark ^ word) * 0x9E3779B1u;
  return mark ^ mark >> 15;
}

static inline void heed_words(Wave *W, const uint32_t *words, const uint32_t *lanes) {
  for (unsigned l = 0; l < LANES; l++) W->mark[l] = marked(W->mark[l], words[l] & lanes[l]);
}

static inline void heed_wide(Block *B, Wave *W, const uint64_t *at, uint64_t further, const uint32_t *lanes) {
  if (!B->run->traces) return;
  W->trace = mixed(W->trace, W->exec);
  for (unsigned l = 0; l < LANES; l++) {
    uint64_t one = at[l] + further;
    W->mark[l] = marked(marked(W->mark[l], (uint32_t)one & lanes[l]), (uint32_t)(one >> 32) & lanes[l]);
  }
}

static inline uint64_t scattered_number(uint64_t number) { return mixed(mixed(number + 1, number >> 32), number) >> 20; }

// So much noise, which is the same each time of one number.
static void noisy(Run *R, void *to, uint64_t bytes, uint64_t number) {
  for (uint64_t k = 0; k < bytes; k += 4 * NOISE) {
    uint64_t from = scattered_number(number * 64 + k / (4 * NOISE)) & (NOISE - 1);
    __builtin_memcpy((uint8_t *)to + k, R->noise + from, bytes - k < 4 * NOISE ? bytes - k : 4 * NOISE);
  }
}

static inline uint64_t fresh(Block *B) { return scattered_number(B->fresh++) & (NOISE - 1); }

static const uint32_t nothing[LANES] = {0};
static inline const uint32_t *anything(Block *B) {
  if (!CHECKED) return nothing;
  B->wave->noise = 1;
  return B->run->noise + fresh(B);
}

// Memory.

static uint8_t *find(Block *B, uint64_t address, uint64_t size) {
  Region *near = B->near;
  uint64_t inside = address - near->address;
  if (inside < near->size && near->size - inside >= size) return near->data + inside;
  for (Region *one = B->run->region, *end = one + B->run->regions; one < end; one++) {
    inside = address - one->address;
    if (inside < one->size && one->size - inside >= size) return B->near = one, one->data + inside;
  }
  return 0;
}

template <int SPACE, unsigned SIZE, bool STORE>
static inline uint8_t *place(Block *B, Wave *W, uint64_t address, unsigned lane, bool atomic = false) {
  Run *R = B->run;
  if (SPACE == FLAT) {
    uint64_t upper = address >> 32, low = address & 0xFFFFFFFF;
    if (upper == R->lds_base) return place<LDS, SIZE, STORE>(B, W, low, lane);
    if (upper == R->scratch_base) {
      if (!atomic) return place<SCRATCH, SIZE, STORE>(B, W, low, lane);
      return refuse(B, "an atomic operation on scratch"), nullptr;
    }
    return place<GLOBAL, SIZE, STORE>(B, W, address, lane);
  }
  uint8_t *found = 0;
  unsigned kind = ADDRESS;
  if (SPACE == LDS && address + SIZE <= R->lds_bytes) found = B->lds + address;
  if (SPACE == SCRATCH && address + SIZE <= R->scratch_bytes) found = W->scratch + lane * R->scratch_stride + address;
  if (SPACE == GLOBAL || SPACE == CONSTANT) {
    found = find(B, address, SIZE);
    if (STORE && found && B->near->writable)
      for (unsigned k = 0; k < SIZE; k++)
        if (!B->near->writable[found - B->near->data + k]) kind = READ_ONLY;
  }
  if (found && kind == ADDRESS) return found;
  fault_at(B, W, kind, lane, address, SIZE, SPACE, "");
  return 0;
}

template <int SPACE, unsigned NEEDED>
static inline bool aligned(Block *B, Wave *W, const uint64_t *at, uint64_t further, const uint32_t *lanes,
                           unsigned size = 0) {
  uint64_t bits = 0;
  for (unsigned l = 0; l < LANES; l++) bits |= lanes[l] ? at[l] + further : 0;
  if (!(bits & (NEEDED - 1))) return true;
  if (!B->run->strict && size) return B->run->unaligned = 1, true;
  for (unsigned l = 0; l < LANES; l++)
    if (lanes[l] && (at[l] + further) & (NEEDED - 1)) {
      fault_at(B, W, ALIGNMENT, l, at[l] + further, size, SPACE | NEEDED << 8, "");
      return false;
    }
  return true;
}

// Where the lanes that access do so: the lowest and the highest address, whether all access, and one behind the other.
struct Span {
  uint64_t low, high, bits;  // `bits`: those that an address has
  bool some, full, row;
};

template <unsigned SIZE> static inline Span look(const uint64_t *at, uint64_t further, const uint32_t *lanes) {
  uint32_t all = ~0u;
  for (unsigned l = 0; l < LANES; l++) all &= lanes[l];
  const uint64_t first = at[0] + further, last = first + SIZE * (LANES - 1);
  if (all == ~0u && last >= first) {
    uint64_t apart = 0;
    for (unsigned l = 0; l < LANES; l++) apart |= at[l] + further - first ^ SIZE * l;
    if (!apart) return {first, last, first | SIZE, true, true, true};
  }
  uint64_t least = ~0ull, most = 0, bits = 0;
  for (unsigned l = 0; l < LANES; l++) {
    uint64_t one = at[l] + further, active = (uint64_t)(s64)(s32)lanes[l];
    least = (one | ~active) < least ? one | ~active : least;
    most = (one & active) > most ? one & active : most;
    bits |= one & active;
  }
  return {least, most, bits, least <= most, all == ~0u, false};
}

// Four dwords of each of four lanes, as dwords of a lane and as lanes of a dword.
typedef uint32_t Four __attribute__((vector_size(16)));
static inline void turn(Four (&r)[4]) {
  Four a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  Four c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7), d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5), r[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  r[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5), r[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

// What is added to an address to have its place, where one region holds all from `low` to the element at `high` and
// none of it is only read; of scratch it is lane 0's.  0: each lane is looked at by itself.
template <int SPACE, unsigned SIZE, bool STORE>
static inline uint8_t *together(Block *B, Wave *W, uint64_t low, uint64_t high) {
  Run *R = B->run;
  if (high - low >= 1ull << 48) return 0;
  if (SPACE == LDS) return high < R->lds_bytes && high + SIZE <= R->lds_bytes ? B->lds : 0;
  if (SPACE == SCRATCH) return high < R->scratch_bytes && high + SIZE <= R->scratch_bytes ? W->scratch : 0;
  uint8_t *first = find(B, low, high - low + SIZE);
  return first && !(STORE && B->near->writable) ? first - low : 0;
}

// Whether each lane's element is behind that of the lane before.
template <unsigned SIZE> static inline bool rises(const uint64_t *at) {
  bool falls = false;
  for (unsigned l = 0; l + 1 < LANES; l++) falls |= at[l + 1] < at[l] + SIZE;
  return !falls;
}

// Of bytes of LDS: whether no other wave of the block accesses them between the same barriers, one of them to store.
template <bool STORE> static inline bool touch(Block *B, Wave *W, uint64_t address, uint64_t size) {
  const uint64_t places = B->places, first = address >> B->shift_in_lds;
  const uint64_t count = (address + size - 1 >> B->shift_in_lds) - first + 1, within = (1ull << B->shift_in_lds) - 1;
  uint32_t *writer = B->touch + first, *written = writer + places, *readers = written + places, *read = readers + places;
  const uint32_t me = 1u << W->number, begun = (uint32_t)B->barriers, now = (uint32_t)(B->barriers + W->signals);
  const uint32_t passed = (uint32_t)(B->barriers + W->waits);
  uint32_t clash = 0, noise = ((address | size) & within) != 0;
  if (count == 1) {
    clash = (*writer != me) & (*written >= passed);
    if (STORE) {
      clash |= ((*readers & ~me) != 0) & (*read >= passed);
      *writer = me, *written = now;
    } else {
      noise |= *written < begun;
      *readers = me | (*read < passed ? 0 : *readers);
      *read = now > *read ? now : *read;
    }
    W->noise |= noise;
    return !clash;
  }
  for (uint64_t k = 0; k < count; k++) clash |= (writer[k] != me) & (written[k] >= passed);
  for (uint64_t k = 0; STORE && k < count; k++) clash |= ((readers[k] & ~me) != 0) & (read[k] >= passed);
  for (uint64_t k = 0; STORE && k < count; k++) writer[k] = me, written[k] = now;
  for (uint64_t k = 0; !STORE && k < count; k++) {
    noise |= written[k] < begun;
    readers[k] = me | (read[k] < passed ? 0 : readers[k]);
    read[k] = now > read[k] ? now : read[k];
  }
  W->noise |= noise;
  return !clash;
}

// Of bytes of a region: whether no other wave accesses them, one of both to store.
template <bool STORE> static inline bool noted(Block *B, Wave *W, Region *region, uint64_t inside, uint64_t size) {
  if (!STORE && !region->reader) return true;
  const uint32_t me = (uint32_t)(B->number * B->run->waves + W->number + 1);
  const uint64_t first = inside >> B->shift, count = (inside + size - 1 >> B->shift) - first + 1;
  W->noise |= (inside | size) & (1ull << B->shift) - 1;  // half a place
  uint32_t *writer = region->writer + B->worker * region->places + first, clash = 0;
  uint32_t *reader = region->reader ? region->reader + B->worker * region->places + first : 0;
  for (uint64_t k = 0; k < count; k++) clash |= (writer[k] != 0) & (writer[k] != me);
  for (uint64_t k = 0; STORE && reader && k < count; k++) clash |= (reader[k] != 0) & (reader[k] != me);
  for (uint64_t k = 0; STORE && k < count; k++) writer[k] = me;
  for (uint64_t k = 0; !STORE && reader && k < count; k++)
    reader[k] = (reader[k] == 0) | (reader[k] == me) ? me : ~0u;
  return !clash;
}

template <bool STORE> static inline void flag(Region *region) {
  const uint64_t how = STORE ? 2 : 1;
  if (!(__atomic_load_n(&region->touched, __ATOMIC_RELAXED) & how))
    __atomic_fetch_or(&region->touched, how, __ATOMIC_RELAXED);
}

// The same of an access of B->near.
template <bool STORE> static inline bool touched(Block *B, Wave *W, uint64_t address, uint64_t size) {
  flag<STORE>(B->near);
  return !B->near->writer || noted<STORE>(B, W, B->near, address - B->near->address, size);
}

// Looks at an access before it is made.  What is nowhere is the access's own matter.
template <int SPACE, unsigned SIZE, bool STORE>
static inline bool watch(Block *B, Wave *W, const uint64_t *at, uint64_t further, const uint32_t *lanes, const Span &s) {
  Run *R = B->run;
  if (SPACE == SCRATCH) W->noise |= !STORE;  // nobody says which of it was written
  if (SPACE == SCRATCH || (SPACE == LDS && !B->touch)) return true;
  const bool inside = SPACE == GLOBAL && together<SPACE, SIZE, false>(B, W, s.low, s.high);
  if (SPACE == LDS && s.row && s.high < R->lds_bytes && s.high + SIZE <= R->lds_bytes)
    return touch<STORE>(B, W, s.low, SIZE * LANES) || doubtful(B);
  if (SPACE == GLOBAL && inside) {
    const bool defines = STORE && B->near->defined;
    flag<STORE>(B->near);
    if (!(STORE ? B->near->writer : B->near->reader) && !defines) return true;
    if (s.row && !defines) return noted<STORE>(B, W, B->near, s.low - B->near->address, SIZE * LANES) || doubtful(B);
  }
  for (unsigned l = 0; l < LANES; l++) {
    if (!lanes[l]) continue;
    uint64_t address = at[l] + further, upper = address >> 32;
    if (SPACE == FLAT && upper == R->scratch_base) {
      W->noise |= !STORE;
      continue;
    }
    if (SPACE == LDS || (SPACE == FLAT && upper == R->lds_base)) {
      address &= SPACE == FLAT ? 0xFFFFFFFF : ~0ull;
      if (!B->touch || address >= R->lds_bytes || R->lds_bytes - address < SIZE) continue;
      if (!touch<STORE>(B, W, address, SIZE)) return doubtful(B);
      continue;
    }
    if (!inside && !find(B, address, SIZE)) continue;
    if (!touched<STORE>(B, W, address, SIZE)) return doubtful(B);
    if (STORE && B->near->defined) __builtin_memset(B->near->defined + (address - B->near->address), 1, SIZE);
  }
  return true;
}

// Bytes that were loaded and that nothing defined are noise, other noise each time.
static inline void blur(Block *B, uint64_t address, uint64_t size, uint32_t *to, uint64_t stride) {
  const uint8_t *defined = B->near->defined ? B->near->defined + (address - B->near->address) : 0;
  for (uint64_t k = 0; defined && k < size; k++)
    if (!defined[k]) {
      B->wave->noise = 1;
      uint32_t noise = B->run->noise[fresh(B)] & 0xFF, *word = to + k / 4 * stride;
      *word = (*word & ~(0xFFu << 8 * (k % 4))) | noise << 8 * (k % 4);
    }
}

template <int SPACE, unsigned SIZE>
static WHOLE void blurred(Block *B, const uint64_t *at, uint64_t further, const uint32_t *lanes, uint32_t (*to)[LANES]) {
  for (unsigned l = 0; l < LANES; l++)
    if (lanes[l] && find(B, at[l] + further, SIZE)) blur(B, at[l] + further, SIZE, to[0] + l, LANES);
}

template <int SPACE, unsigned SIZE, unsigned NEEDED>
static WHOLE bool load_all(Block *B, Wave *W, const uint64_t *__restrict at, uint64_t further,
                           const uint32_t *__restrict lanes, uint32_t (*__restrict to)[LANES]) {
  const Span s = look<SIZE>(at, further, lanes);
  if (CHECKED) heed_wide(B, W, at, further, lanes);
  if (!s.some) return true;
  if (s.bits & (NEEDED - 1) && !aligned<SPACE, NEEDED>(B, W, at, further, lanes, SIZE)) return false;
  if (CHECKED && !watch<SPACE, SIZE, false>(B, W, at, further, lanes, s)) return false;
  if (const uint8_t *base = together<SPACE, SIZE, false>(B, W, s.low, s.high)) {
    if (SIZE == 4 && SPACE != SCRATCH && s.row) {
      __builtin_memcpy(to[0], base + s.low, 4 * LANES);
      return true;
    }
    const uint64_t stride = SPACE == SCRATCH ? B->run->scratch_stride : 0;
    if (SIZE == 16 && s.full) {
      for (unsigned l = 0; l < LANES; l += 4) {
        Four r[4];
        for (unsigned k = 0; k < 4; k++) __builtin_memcpy(&r[k], base + at[l + k] + further + stride * (l + k), 16);
        turn(r);
        for (unsigned k = 0; k < 4; k++) __builtin_memcpy(&to[k][l], &r[k], 16);
      }
      return true;
    }
    uint64_t places[LANES];  // those of lanes that do not access are the lowest's
    for (unsigned l = 0; l < LANES; l++) {
      uint64_t active = (uint64_t)(s64)(s32)lanes[l];
      places[l] = ((at[l] + further) & active) | (s.low & ~active);
    }
    for (unsigned k = 0; k < (SIZE < 4 ? 1 : SIZE / 4); k++)
      for (unsigned l = 0; l < LANES; l++) {
        uint32_t word = 0;
        __builtin_memcpy(&word, base + places[l] + 4 * k + stride * l, SIZE < 4 ? SIZE : 4);
        to[k][l] = chosen(lanes[l], word, to[k][l]);
      }
    return true;
  }
  for (unsigned l = 0; l < LANES; l++) {
    if (!lanes[l]) continue;
    uint8_t *from = place<SPACE, SIZE, false>(B, W, at[l] + further, l);
    if (!from) return false;
    if (SIZE < 4) {
      uint32_t word = 0;
      __builtin_memcpy(&word, from, SIZE);
      to[0][l] = word;
    } else {
      for (unsigned k = 0; k < SIZE / 4; k++) __builtin_memcpy(&to[k][l], from + 4 * k, 4);
    }
  }
  return true;
}

template <int SPACE, unsigned SIZE, unsigned NEEDED>
static inline bool load(Block *B, Wave *W, const uint64_t *at, uint64_t further, const uint32_t *lanes,
                        uint32_t (*to)[LANES]) {
  if (!load_all<SPACE, SIZE, NEEDED>(B, W, at, further, lanes, to)) return false;
  if (CHECKED && SPACE != LDS && SPACE != SCRATCH && B->blurry) blurred<SPACE, SIZE>(B, at, further, lanes, to);
  return true;
}

// Whether memory holds what each lane has stored: no other lane has stored something else there.
template <int SPACE, unsigned SIZE>
static WHOLE bool holds(Block *B, Wave *W, const uint64_t *at, uint64_t further, const uint32_t *lanes,
                        uint32_t (*from)[LANES], unsigned shift, const Span &s) {
  const uint8_t *base = SPACE == SCRATCH ? 0 : together<SPACE, SIZE, false>(B, W, s.low, s.high);
  for (unsigned l = 0; l < LANES; l++) {
    if (!lanes[l]) continue;
    const uint8_t *there = base ? base + at[l] + further : place<SPACE, SIZE, false>(B, W, at[l] + further, l);
    if (!there) return false;
    for (unsigned k = 0; k < (SIZE < 4 ? 1 : SIZE / 4); k++) {
      uint32_t word = SIZE < 4 ? from[k][l] >> shift : from[k][l];
      if (__builtin_memcmp(there + 4 * k, &word, SIZE < 4 ? SIZE : 4)) return doubtful(B);
    }
  }
  return true;
}

// The same of one of several elements that an instruction stores, when all are stored.
template <int SPACE, unsigned SIZE>
static WHOLE bool still_holds(Block *B, Wave *W, const uint64_t *at, uint64_t further, const uint32_t *lanes,
                              uint32_t (*from)[LANES]) {
  const Span s = look<SIZE>(at, further, lanes);
  return !s.some || holds<SPACE, SIZE>(B, W, at, further, lanes, from, 0, s);
}

// What was stored, whoever looks at it.
template <int SPACE, unsigned SIZE>
static WHOLE void heed_stored(Block *B, Wave *W, const uint64_t *at, uint64_t further, const uint32_t *lanes,
                              uint32_t (*from)[LANES], unsigned shift) {
  uint32_t words[LANES], there[LANES];
  for (unsigned l = 0; l < LANES; l++) {
    uint64_t upper = at[l] + further >> 32;
    bool own = SPACE == FLAT && (upper == B->run->lds_base || upper == B->run->scratch_base);
    there[l] = own ? 0 : lanes[l];
  }
  for (unsigned k = 0; k < (SIZE < 4 ? 1 : SIZE / 4); k++) {
    for (unsigned l = 0; l < LANES; l++)
      words[l] = SIZE < 4 ? from[k][l] >> shift & (1u << 8 * (SIZE & 3)) - 1 : from[k][l];
    heed_words(W, words, there);
  }
}

template <int SPACE, unsigned SIZE, unsigned NEEDED>
static WHOLE bool store_all(Block *, Wave *, const uint64_t *, uint64_t, const uint32_t *, uint32_t (*)[LANES], unsigned,
                            const Span &);

template <int SPACE, unsigned SIZE, unsigned NEEDED>
static WHOLE bool store(Block *B, Wave *W, const uint64_t *at, uint64_t further, const uint32_t *lanes,
                        uint32_t (*from)[LANES], unsigned shift) {
  Span s = look<SIZE>(at, further, lanes);
  uint32_t kept[LANES];
  if (SPACE == LDS && s.some && s.high >= 1ull << 30) {  // what a mask drops (semantics.accesses, MASKS)
    for (unsigned l = 0; l < LANES; l++)
      kept[l] = at[l] + further - (1ull << 30) < (1ull << 30) + (1ull << 17) ? 0 : lanes[l];
    lanes = kept;
    s = look<SIZE>(at, further, lanes);
  }
  if (CHECKED) heed_wide(B, W, at, further, lanes);
  if (CHECKED && B->run->traces && (SPACE == GLOBAL || SPACE == FLAT))
    heed_stored<SPACE, SIZE>(B, W, at, further, lanes, from, shift);
  if (!s.some) return true;
  if (s.bits & (NEEDED - 1) && !aligned<SPACE, NEEDED>(B, W, at, further, lanes, SIZE)) return false;
  if (CHECKED && !watch<SPACE, SIZE, true>(B, W, at, further, lanes, s)) return false;
  if (!store_all<SPACE, SIZE, NEEDED>(B, W, at, further, lanes, from, shift, s)) return false;
  if (!CHECKED || s.row || (s.full && rises<SIZE>(at))) return true;
  return holds<SPACE, SIZE>(B, W, at, further, lanes, from, shift, s);
}

template <int SPACE, unsigned SIZE, unsigned NEEDED>
static WHOLE bool store_all(Block *B, Wave *W, const uint64_t *at, uint64_t further, const uint32_t *lanes,
                            uint32_t (*from)[LANES], unsigned shift, const Span &s) {
  if (uint8_t *base = together<SPACE, SIZE, true>(B, W, s.low, s.high)) {
    if (SIZE == 4 && SPACE != SCRATCH && s.row) {
      __builtin_memcpy(base + s.low, from[0], 4 * LANES);
      return true;
    }
    const uint64_t stride = SPACE == SCRATCH ? B->run->scratch_stride : 0;
    if (SIZE == 16 && s.full) {
      for (unsigned l = 0; l < LANES; l += 4) {
        Four r[4];
        for (unsigned k = 0; k < 4; k++) __builtin_memcpy(&r[k], &from[k][l], 16);
        turn(r);
        for (unsigned k = 0; k < 4; k++) __builtin_memcpy(base + at[l + k] + further + stride * (l + k), &r[k], 16);
      }
      return true;
    }
    for (unsigned l = 0; l < LANES; l++) {
      if (!lanes[l]) continue;
      uint8_t *to = base + at[l] + further + stride * l;
      for (unsigned k = 0; k < (SIZE < 4 ? 1 : SIZE / 4); k++) {
        uint32_t word = SIZE < 4 ? from[k][l] >> shift : from[k][l];
        __builtin_memcpy(to + 4 * k, &word, SIZE < 4 ? SIZE : 4);
      }
    }
    return true;
  }
  for (unsigned l = 0; l < LANES; l++) {
    if (!lanes[l]) continue;
    uint8_t *to = place<SPACE, SIZE, true>(B, W, at[l] + further, l);
    if (!to) return false;
    if (SIZE < 4) {
      uint32_t word = from[0][l] >> shift;
      __builtin_memcpy(to, &word, SIZE);
    } else {
      for (unsigned k = 0; k < SIZE / 4; k++) __builtin_memcpy(to + 4 * k, &from[k][l], 4);
    }
  }
  return true;
}

template <unsigned SIZE, unsigned NEEDED, bool SIGNED>
static WHOLE bool load_scalar(Block *B, Wave *W, uint64_t address, uint32_t *to) {
  if (address & (NEEDED - 1)) {
    if (B->run->strict) return fault_at(B, W, ALIGNMENT, 0, address, SIZE, CONSTANT | NEEDED << 8, ""), false;
    B->run->unaligned = 1;
  }
  uint8_t *from = place<CONSTANT, SIZE, false>(B, W, address, 0);
  if (!from) return false;
  if (CHECKED) {
    W->trace = mixed(W->trace, address);
    if (!touched<false>(B, W, address, SIZE)) return doubtful(B);
  }
  if (SIZE < 4) {
    uint32_t word = 0;
    __builtin_memcpy(&word, from, SIZE);
    if (CHECKED) blur(B, address, SIZE, &word, 1);
    *to = SIGNED ? (uint32_t)((s32)(word << (32 - 8 * SIZE)) >> (32 - 8 * SIZE)) : word;
  } else {
    __builtin_memcpy(to, from, SIZE);
    if (CHECKED) blur(B, address, SIZE, to, 1);
  }
  return true;
}

// A part of an address whose low bits would drop: of a scalar load, or M0, which has so many bits.
static WHOLE bool whole_dwords(Block *B, uint64_t part, unsigned bits, unsigned space) {
  if (CHECKED) B->wave->trace = mixed(B->wave->trace, part);
  if (!(part & 3) && (bits == 64 || part >> bits == 0)) return true;
  fault_at(B, B->wave, ALIGNMENT, 0, part, bits, space | 4 << 8, "part");
  return false;
}

static inline bool is_scratch(uint64_t low, uint64_t high, uint64_t scalar, uint64_t a, uint64_t b, uint64_t c) {
  return low == a && high == b && scalar == c;
}

// Where each dword of a buffer's element is, and whether it is in range (`run.buffers` says by which rules).
template <unsigned UNIT, unsigned DWORDS, bool TOGETHER, unsigned STRIDE, unsigned UNSURE>
static WHOLE bool ranged(Block *B, Wave *W, uint64_t base, uint64_t count, uint64_t upper, uint64_t flags,
                   uint64_t scalar, const uint64_t *offset, const uint64_t *index, uint64_t *at,
                   uint32_t (*in)[LANES]) {
  if (upper != B->upper || flags != B->flags)
    B->how = B->run->buffer(upper, flags), B->upper = upper, B->flags = flags;
  int64_t how = W->exec ? B->how : 0;
  if (CHECKED) {
    if (W->exec) W->trace = mixed(mixed(mixed(mixed(W->trace, base), count), upper << 32 ^ flags), scalar);
    heed_wide(B, W, offset, 0, W->x);
    if (index) heed_wide(B, W, index, 0, W->x);
  }
  if (how < 0) return refuse(B, "a buffer that is not modelled"), false;
  bool doubt = false;
  for (unsigned l = 0; l < LANES; l++) {
    at[l] = base + scalar + offset[l];
    bool active = W->x[l] != 0;
    doubt |= active && offset[l] >> 32;
    for (unsigned k = 0; k < DWORDS; k++) {
      uint64_t start = offset[l] + 4 * k;
      bool there = start + UNIT + UNSURE + scalar <= count;
      bool out = start >= count && ((offset[l] + scalar) & 0xFFFFFFFF) + 4 * k >= count;
      if (index && (upper & STRIDE)) out = index[l] >= count;
      if (how) there = count != 0, out = count == 0;
      if (start + UNIT > 1ull << 32) there = out = false;  // no source says what is there
      doubt |= active && !there && !out;
      in[k][l] = active && there ? ~0u : 0;
      doubt |= TOGETHER && in[k][l] != in[0][l];
    }
  }
  if (doubt) return refuse(B, "sources differ in whether it is in the range of its buffer"), false;
  return true;
}

// Each GROUP of lanes has one sequence of elements, of which each lane gets a column.
template <unsigned BITS, unsigned DWORDS, unsigned GROUP>
static WHOLE bool transposed(Block *B, Wave *W, uint32_t (*r)[LANES]) {
  if (W->exec && !W->full) return refuse(B, "a transposed load with inactive lanes"), false;
  const unsigned each = 32 * DWORDS / BITS;
  uint32_t turned[DWORDS][LANES] = {{0}};
  for (unsigned l = 0; l < LANES; l++)
    for (unsigned e = 0; e < each; e++) {
      unsigned number = GROUP * e + l % GROUP, from = l / GROUP * GROUP + number / each;
      for (unsigned bit = 0; bit < BITS; bit++) {
        unsigned source = number % each * BITS + bit, target = e * BITS + bit;
        turned[target / 32][l] |= (r[source / 32][from] >> source % 32 & 1) << target % 32;
      }
    }
  __builtin_memcpy(r, turned, sizeof turned);
  return true;
}

// Numbers.  A word of 16 bits lies in the low bits of one of 32; functions are those of `run.floats`, to the bit.

static inline float f32(uint32_t word) { return __builtin_bit_cast(float, word); }
static inline double f64(uint64_t word) { return __builtin_bit_cast(double, word); }
static inline float f16(uint32_t word) { return (float)__builtin_bit_cast(_Float16, (uint16_t)word); }
static inline uint32_t w32(float number) { return __builtin_bit_cast(uint32_t, number); }
static inline uint64_t w64(double number) { return __builtin_bit_cast(uint64_t, number); }
static inline uint32_t w16(float number) { return __builtin_bit_cast(uint16_t, (_Float16)number); }

// An f64 whose last bit is set where it is not exact (`run.fused`): as good as the number itself to a narrower type.
static inline double odd_sum(double a, double b) {
  double total = a + b, back = total - a, error = (a - (total - back)) + (b - back);
  uint64_t bits = w64(total);
  bool finite = (bits >> 52 & 0x7FF) != 0x7FF;
  if (finite && error != 0 && !(bits & 1)) bits += (error > 0) == (total > 0) ? 1 : -1ull;
  return f64(bits);
}

// f16 of f64, rounded once: by way of an f32 that is odd where it is not exact.
static inline uint32_t h64(double number) {
  float near = (float)number;
  uint32_t bits = w32(near);
  bool finite = (bits >> 23 & 0xFF) != 0xFF;
  double error = number - (double)near;
  if (finite && error != 0 && !(bits & 1)) bits += (error > 0) == (number > 0) ? 1 : -1u;
  return w16(f32(bits));
}

static inline float flush(float a) { return __builtin_fabsf(a) < 0x1p-126f ? __builtin_copysignf(0.0f, a) : a; }

template <class T> static inline T greatest(T a, T b) { return a == 0 && b == 0 ? a + b : a > b || b != b ? a : b; }
template <class T> static inline T least(T a, T b) { return -greatest(-a, -b); }
template <class T> static inline T maximum(T a, T b) { return a != a || b != b ? a + b : greatest(a, b); }
template <class T> static inline T minimum(T a, T b) { return -maximum(-a, -b); }
template <class T> static inline T median(T a, T b, T c) {
  T high = greatest(greatest(a, b), c);
  T rest = high == a ? greatest(b, c) : high == b ? greatest(a, c) : greatest(a, b);
  return a != a || b != b || c != c ? least(least(a, b), c) : rest;
}

#define OF_ONE(name, T, W, n, w, expression) \
  static inline W f_##name(W p) { T a = n(p); return w(expression); }
#define OF_TWO(name, T, W, n, w, expression) \
  static inline W f_##name(W p, W q) { T a = n(p), b = n(q); return w(expression); }
#define RELATION(name, W, n, expression) \
  static inline bool r_##name(W p, W q) { auto a = n(p); auto b = n(q); return expression; }

// Of each type (`values` reads the names here).
#define OF_A_TYPE(kind, T, W, n, w) \
  OF_TWO(add_##kind, T, W, n, w, a + b) OF_TWO(sub_##kind, T, W, n, w, a - b) OF_TWO(mul_##kind, T, W, n, w, a * b) \
  OF_TWO(max_##kind, T, W, n, w, greatest(a, b)) OF_TWO(min_##kind, T, W, n, w, least(a, b)) \
  OF_TWO(maximum_##kind, T, W, n, w, maximum(a, b)) OF_TWO(minimum_##kind, T, W, n, w, minimum(a, b)) \
  static inline W f_med3_##kind(W p, W q, W r) { return w(median<T>(n(p), n(q), n(r))); } \
  OF_ONE(trunc_##kind, T, W, n, w, (T)__builtin_elementwise_trunc(a)) \
  OF_ONE(floor_##kind, T, W, n, w, (T)__builtin_elementwise_floor(a)) \
  OF_ONE(ceil_##kind, T, W, n, w, (T)__builtin_elementwise_ceil(a)) \
  OF_ONE(rndne_##kind, T, W, n, w, (T)__builtin_elementwise_roundeven(a)) \
  OF_ONE(clamp_##kind, T, W, n, w, a > 0 ? a < 1 ? a : (T)1 : (T)0) \
  RELATION(f_##kind, W, n, false && a == b) RELATION(lt_##kind, W, n, a < b) RELATION(eq_##kind, W, n, a == b) \
  RELATION(le_##kind, W, n, a <= b) RELATION(gt_##kind, W, n, a > b) RELATION(lg_##kind, W, n, a < b || a > b) \
  RELATION(ge_##kind, W, n, a >= b) RELATION(o_##kind, W, n, a == a && b == b) \
  RELATION(tru_##kind, W, n, true || a == b) RELATION(nlt_##kind, W, n, !(a < b)) RELATION(neq_##kind, W, n, a != b) \
  RELATION(nle_##kind, W, n, !(a <= b)) RELATION(ngt_##kind, W, n, !(a > b)) \
  RELATION(nlg_##kind, W, n, !(a < b || a > b)) RELATION(nge_##kind, W, n, !(a >= b)) \
  RELATION(u_##kind, W, n, a != a || b != b)

OF_A_TYPE(f16, float, uint32_t, f16, w16)
OF_A_TYPE(f32, float, uint32_t, f32, w32)
OF_A_TYPE(f64, double, uint64_t, f64, w64)

static inline uint32_t f_fma_f16(uint32_t a, uint32_t b, uint32_t c) {
  return h64(odd_sum((double)f16(a) * (double)f16(b), (double)f16(c)));
}
static inline uint32_t f_fma_f32(uint32_t a, uint32_t b, uint32_t c) { return w32(__builtin_fmaf(f32(a), f32(b), f32(c))); }
static inline uint64_t f_fma_f64(uint64_t a, uint64_t b, uint64_t c) { return w64(__builtin_fma(f64(a), f64(b), f64(c))); }
static inline uint32_t f_mad_f32(uint32_t a, uint32_t b, uint32_t c) {
  return w32(flush(flush(flush(f32(a)) * flush(f32(b))) + flush(f32(c))));
}
static inline uint32_t f_flushed_f32(uint32_t a) { return w32(flush(f32(a))); }
static inline uint32_t f_rcp_f32(uint32_t a) { return w32(flush((float)(1.0 / (double)flush(f32(a))))); }
static inline uint32_t f_sqrt_f32(uint32_t a) { return w32(flush((float)__builtin_sqrt((double)flush(f32(a))))); }
static inline uint32_t f_rsq_f32(uint32_t a) { return w32(flush((float)(1.0 / __builtin_sqrt((double)flush(f32(a)))))); }
static inline uint64_t f_rcp_f64(uint64_t a) { return w64(1.0 / f64(a)); }
static inline uint64_t f_sqrt_f64(uint64_t a) { return w64(__builtin_sqrt(f64(a))); }
static inline uint64_t f_rsq_f64(uint64_t a) { return w64(1.0 / __builtin_sqrt(f64(a))); }
static inline uint32_t f_rcp_f16(uint32_t a) { return h64(1.0 / (double)f16(a)); }
static inline uint32_t f_sqrt_f16(uint32_t a) { return h64(__builtin_sqrt((double)f16(a))); }
static inline uint32_t f_rsq_f16(uint32_t a) { return h64(1.0 / __builtin_sqrt((double)f16(a))); }

// Cut towards 0 and to the range; 0 of what is no number.
static inline uint32_t as_i32(double a) {
  return a != a ? 0 : a <= -0x1p31 ? 0x80000000 : a >= 0x1p31 - 1 ? 0x7FFFFFFF : (uint32_t)(s32)a;
}
static inline uint32_t as_u32(double a) { return a != a || a <= 0 ? 0 : a >= 0x1p32 - 1 ? 0xFFFFFFFF : (uint32_t)a; }
static inline uint32_t as_i16(double a) { return as_i32(a > 32767 ? 32767 : a < -32768 ? -32768 : a) & 0xFFFF; }
static inline uint32_t as_u16(double a) { return as_u32(a > 65535 ? 65535 : a); }

static inline uint32_t f_i32_of_f32(uint32_t a) { return as_i32((double)f32(a)); }
static inline uint32_t f_u32_of_f32(uint32_t a) { return as_u32((double)f32(a)); }
static inline uint32_t f_i32_of_f64(uint64_t a) { return as_i32(f64(a)); }
static inline uint32_t f_u32_of_f64(uint64_t a) { return as_u32(f64(a)); }
static inline uint32_t f_i16_of_f16(uint32_t a) { return as_i16((double)f16(a)); }
static inline uint32_t f_u16_of_f16(uint32_t a) { return as_u16((double)f16(a)); }
static inline uint32_t f_f32_of_i32(uint32_t a) { return w32((float)(s32)a); }
static inline uint32_t f_f32_of_u32(uint32_t a) { return w32((float)a); }
static inline uint64_t f_f64_of_i32(uint32_t a) { return w64((double)(s32)a); }
static inline uint64_t f_f64_of_u32(uint32_t a) { return w64((double)a); }
static inline uint32_t f_f16_of_i16(uint32_t a) { return w16((float)((s32)(a << 16) >> 16)); }
static inline uint32_t f_f16_of_u16(uint32_t a) { return w16((float)(a & 0xFFFF)); }
static inline uint64_t f_f64_of_f32(uint32_t a) { return w64((double)f32(a)); }
static inline uint32_t f_f32_of_f64(uint64_t a) { return w32((float)f64(a)); }
static inline uint32_t f_f32_of_f16(uint32_t a) { return w32(f16(a)); }
static inline uint32_t f_f16_of_f32(uint32_t a) { return w16(f32(a)); }
static inline uint32_t f_bf16_of_f32(uint32_t a) {
  return f32(a) != f32(a) ? a >> 16 | 0x40 : (a + (0x7FFF + (a >> 16 & 1))) >> 16;
}

// Elements of matrices, and registers of their results.

typedef uint32_t (*Registers)[LANES];
static inline double element_f16(Registers r, unsigned l, unsigned e) { return f16(r[e / 2][l] >> 16 * (e % 2)); }
static inline double element_bf16(Registers r, unsigned l, unsigned e) { return f32(r[e / 2][l] >> 16 * (e % 2) << 16); }
static inline double element_f32(Registers r, unsigned l, unsigned e) { return f32(r[e][l]); }
static inline double element_f64(Registers r, unsigned l, unsigned e) {
  return f64(r[2 * e][l] | (uint64_t)r[2 * e + 1][l] << 32);
}
static inline int64_t element_i8(Registers r, unsigned l, unsigned e) { return (int8_t)(r[e / 4][l] >> 8 * (e % 4)); }
static inline int64_t element_i32(Registers r, unsigned l, unsigned e) { return (s32)r[e][l]; }

static inline void put_f16(Registers r, unsigned l, unsigned e, double n) { r[e / 2][l] |= h64(n) << 16 * (e % 2); }
static inline void put_f32(Registers r, unsigned l, unsigned e, double n) { r[e][l] = w32((float)n); }
static inline void put_f64(Registers r, unsigned l, unsigned e, double n) {
  r[2 * e][l] = (uint32_t)w64(n), r[2 * e + 1][l] = (uint32_t)(w64(n) >> 32);
}
static inline void put_i32(Registers r, unsigned l, unsigned e, int64_t n) { r[e][l] = (uint32_t)n; }

// RUN lanes, from one of each `places` on, hold what follows each other.
template <unsigned ELEMENTS, unsigned RUN, auto ELEMENT, class T>
static inline bool spread(Registers r, const uint16_t *places, T *matrix) {
  for (unsigned e = 0; e < ELEMENTS; e++)
    for (unsigned l = 0; l < LANES; l += RUN)
      for (unsigned t = 0; t < RUN; t++) matrix[places[(e * LANES + l) / RUN] + t] = r ? ELEMENT(r, l + t, e) : 0;
  return true;
}

template <unsigned ELEMENTS, unsigned RUN, auto ELEMENT, class T>
static inline bool spread_copies(Registers r, const uint16_t *places, T *matrix) {
  spread<ELEMENTS, RUN, ELEMENT>(r, places, matrix);
  bool apart = false;
  for (unsigned e = 0; r && e < ELEMENTS; e++)
    for (unsigned l = 0; l < LANES; l += RUN)
      for (unsigned t = 0; t < RUN; t++) {
        T one = matrix[places[(e * LANES + l) / RUN] + t], other = ELEMENT(r, l + t, e);
        apart |= one != other && (one == one || other == other);
      }
  return !apart;
}

// Turns: the waves of a block one after another, each as far as it comes.

static int run_wave(Run *R, Block *B, Wave *W);

static void begin(Run *R, Block *B, Wave *waves, uint8_t *scratch) {
  for (uint64_t n = 0; n < R->waves; n++) {
    Wave *W = waves + n;
    if (CHECKED)
      noisy(R, W, sizeof *W, 2 * (B->number * R->waves + n));
    else
      __builtin_memset(W, 0xDB, sizeof *W);
    W->m0 = CHECKED ? W->m0 : POISON, W->scc = CHECKED && (B->number + n + R->kind) & 1, W->trace = W->noise = 0;
    if (CHECKED) {
      __builtin_memset(W->dv, 0, sizeof W->dv), __builtin_memset(W->da, 0, sizeof W->da);
      for (uint64_t k = 0; k < R->vectors; k++) W->dv[k] = R->exec[n];
      W->ds[0] = R->defined[0], W->ds[1] = R->defined[1], W->ds[2] = 0;
    }
    __builtin_memset(W->mark, 0, sizeof W->mark);
    for (uint64_t k = 0; k < R->scalars; k++) W->s[R->scalar_number[k]] = R->scalar[n * R->scalars + k];
    for (uint64_t k = 0; k < R->varying; k++) W->s[R->varying_number[k]] = R->vary[(k * R->blocks + B->number) * R->waves + n];
    for (uint64_t k = 0; k < R->vectors; k++)
      __builtin_memcpy(W->v[k], R->thread + (k * R->waves + n) * LANES, sizeof W->v[k]);
    W->s[126] = (uint32_t)R->exec[n], W->s[127] = (uint32_t)(R->exec[n] >> 32);
    set_exec(W);
    W->pc = R->start, W->steps = 0, W->number = n, W->signals = W->waits = 0, W->state = YIELD;
    W->scratch = scratch + n * LANES * R->scratch_stride;
  }
  uint64_t scratch_bytes = R->scratch_bytes ? R->waves * LANES * R->scratch_stride : 0;
  if (CHECKED) {
    noisy(R, B->lds, R->lds_bytes, 2 * B->number * R->waves + 1), noisy(R, scratch, scratch_bytes, ~B->number);
    B->fresh = B->number << 32;
  } else {
    __builtin_memset(B->lds, 0xDB, R->lds_bytes), __builtin_memset(scratch, 0xDB, scratch_bytes);
  }
}

static bool run_block(Run *R, Block *B, Wave *waves) {
  for (;;) {
    bool going = false, waiting = false, all = true;
    for (uint64_t n = 0; n < R->waves; n++) {
      Wave *W = B->wave = waves + n;
      if (W->state == YIELD) {
        W->until = W->steps + TURN;
        W->state = run_wave(R, B, W);
        if (W->state == FAULT) return false;
      }
      going |= W->state == YIELD;
      waiting |= W->state == BARRIER;
      all &= W->state == ENDED || (W->state == BARRIER && W->signals > W->waits);
    }
    if (!going && !waiting) return true;
    if (!going && !all) {
      for (uint64_t n = 0; n < R->waves; n++)
        if (waves[n].state == BARRIER) B->wave = waves + n;
      return stop(B, STUCK, "waves wait at a barrier to which others of their block never come"), false;
    }
    for (uint64_t n = 0; CHECKED && all && n < R->waves; n++)
      if (waves[n].state == ENDED) return doubtful(B);
    for (uint64_t n = 0; all && n < R->waves; n++)
      if (waves[n].state == BARRIER) waves[n].waits++, waves[n].state = YIELD;
  }
}

extern "C" __attribute__((visibility("default"))) void layoutalg_run(Run *R, uint64_t worker) {
  Block block = {R, R->region, 0, 0, 0, 0, 0, ~0ull, 0, 0, 0, worker, 1, 0};
  block.shift = __builtin_ctzll(R->place), block.shift_in_lds = __builtin_ctzll(R->place_in_lds);
  block.places = (R->lds_bytes >> block.shift_in_lds) + 1;
  for (uint64_t k = 0; k < R->regions; k++) block.blurry |= R->region[k].defined != 0;
  if (CHECKED && R->orders && (R->waves > 1 || !R->traces))
    block.touch = (uint32_t *)__builtin_calloc(4 * block.places, sizeof(uint32_t));
  Wave *waves = (Wave *)__builtin_malloc(R->waves * sizeof(Wave));
  uint8_t *scratch = (uint8_t *)__builtin_malloc(R->waves * LANES * R->scratch_stride + 16);
  block.lds = (uint8_t *)__builtin_malloc(R->lds_bytes + 16);
  for (;;) {
    block.number = __atomic_fetch_add(&R->next, 1, __ATOMIC_RELAXED);
    if (block.number >= __atomic_load_n(&R->limit, __ATOMIC_RELAXED)) break;
    if (CHECKED && __atomic_load_n(&R->steps, __ATOMIC_RELAXED) > R->work) {
      doubtful(&block);
      break;
    }
    begin(R, &block, waves, scratch);
    run_block(R, &block, waves);
    uint64_t steps = 0, most = 0, signals = 0;
    for (uint64_t n = 0; n < R->waves; n++) {
      Wave *W = waves + n;
      steps += W->steps, most = W->steps > most ? W->steps : most, signals = W->signals > signals ? W->signals : signals;
      uint64_t marks = 0;
      for (uint64_t l = 0; CHECKED && R->traces && l < LANES; l++) marks += mixed(l << 32, W->mark[l]);
      if (CHECKED && R->traces) R->traces[block.number * R->waves + n] = mixed(W->trace, marks);
      if (CHECKED && !R->traces && W->noise) R->noisy = 1, R->limit = 0;
    }
    block.barriers += signals + 1;
    uint64_t known = __atomic_load_n(&R->most, __ATOMIC_RELAXED);
    while (known < most && !__atomic_compare_exchange_n(&R->most, &known, most, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    __atomic_fetch_add(&R->steps, steps, __ATOMIC_RELAXED);
  }
  __builtin_free(waves), __builtin_free(scratch), __builtin_free(block.lds), __builtin_free(block.touch);
}
