export type Schedule = {
  /** Runs `task` once the clock has reached `atMs`: by the timer, or at the next `runDue`. */
  readonly at: (atMs: number, task: () => void) => void
  readonly runDue: () => void
  /** Must be called after the clock was moved, because the armed timer uses the old time. */
  readonly clockMoved: () => void
  readonly clear: () => void
}

type Entry = { readonly atMs: number; readonly turn: number; readonly task: () => void }

const MAX_SCHEDULED = 500_000
const MAX_TIMER_MS = 60_000

/** A binary heap of tasks behind a single timer, so that a million pending charges take one timer. */
export function createSchedule(now: () => number): Schedule {
  const heap: Entry[] = []
  let turns = 0
  let timer: NodeJS.Timeout | undefined
  let armedForMs = Number.POSITIVE_INFINITY

  function disarm(): void {
    clearTimeout(timer)
    armedForMs = Number.POSITIVE_INFINITY
  }

  function arm(): void {
    const next = heap[0]
    if (next === undefined || next.atMs >= armedForMs) return
    clearTimeout(timer)
    armedForMs = next.atMs
    const delayMs = Math.min(Math.max(next.atMs - now(), 0), MAX_TIMER_MS)
    timer = setTimeout(() => {
      armedForMs = Number.POSITIVE_INFINITY
      runDue()
    }, delayMs).unref()
  }

  function runDue(): void {
    for (let next = heap[0]; next !== undefined && next.atMs <= now(); next = heap[0]) {
      popFirst(heap)
      next.task()
    }
    arm()
  }

  return {
    at: (atMs, task) => {
      // A full schedule runs its earliest task early. Dropping a task would leave a charge pending forever.
      if (heap.length >= MAX_SCHEDULED) popFirst(heap)?.task()
      push(heap, { atMs, turn: turns++, task })
      arm()
    },
    runDue,
    clockMoved: () => {
      disarm()
      runDue()
    },
    clear: () => {
      heap.length = 0
      disarm()
    },
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atMs === b.atMs ? a.turn < b.turn : a.atMs < b.atMs
}

function push(heap: Entry[], entry: Entry): void {
  let index = heap.length
  while (index > 0) {
    const parentIndex = (index - 1) >> 1
    const parent = heap[parentIndex]
    if (parent === undefined || !isBefore(entry, parent)) break
    heap[index] = parent
    index = parentIndex
  }
  heap[index] = entry
}

function popFirst(heap: Entry[]): Entry | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return first
  let index = 0
  for (;;) {
    const left = heap[2 * index + 1]
    const right = heap[2 * index + 2]
    if (left === undefined) break
    const goesRight = right !== undefined && isBefore(right, left)
    const child = goesRight ? right : left
    if (isBefore(last, child)) break
    heap[index] = child
    index = 2 * index + (goesRight ? 2 : 1)
  }
  heap[index] = last
  return first
}
