import { Refusal } from '@merchant-payments/contract'

/** A decoded form. Leaves are strings, and maps have no prototype, so every key is an ordinary key. */
export interface FormTree {
  [key: string]: string | FormTree
}

/** Limits of pairs in a form, and of brackets in a name. docs/spec-gaps.md, bodies. */
const PAIRS_MAX = 1_000
const DEPTH_MAX = 5

const index = /^(?:0|[1-9]\d{0,8})$/
const bracket = /[[\]]/
const nested = /^([^[\]]+)((?:\[[^[\]]*\])+)$/
const encoded = /[%+]/

/**
 * Parses application/x-www-form-urlencoded with bracket nesting (spec 2.1), for bodies and query strings. Runs in
 * linear time: each pair costs a bounded number of look-ups.
 *
 * @param emptyMap makes the tree's maps, which must have no prototype
 * @throws Refusal invalid_request naming the parameter in bracket spelling
 */
export function parseForm(text: string, emptyMap: () => FormTree = nullPrototype): FormTree {
  const root = emptyMap()
  if (text === '') return root
  const pairs = text.split('&', PAIRS_MAX + 1)
  if (pairs.length > PAIRS_MAX)
    throw new Refusal('invalid_request', `A form has at most ${PAIRS_MAX} parameters.`)
  const parse: Parse = { emptyMap, nextIndexes: new Map() }
  for (const pair of pairs) {
    if (pair !== '') insert(parse, root, pair)
  }
  return root
}

/** State of a parse besides its tree. */
interface Parse {
  readonly emptyMap: () => FormTree
  /** The next index for `[]`, by map. Finding it among the map's keys would be quadratic. */
  readonly nextIndexes: Map<FormTree, number>
}

const nullPrototype = (): FormTree => Object.create(null) as FormTree

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws Refusal invalid_request if the body is not UTF-8 */
export function decodeBody(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw new Refusal('invalid_request', 'The body is not valid UTF-8.')
  }
}

function insert(parse: Parse, root: FormTree, pair: string): void {
  const at = pair.indexOf('=')
  const name = decode(at < 0 ? pair : pair.slice(0, at))
  const value = decode(at < 0 ? '' : pair.slice(at + 1), name)
  const path = pathOf(name)
  if (path === null) throw bad('is not a well-formed parameter name', name)
  if (name.includes('\0') || value.includes('\0')) throw bad('must not hold a NUL character', name)
  if (path.length - 1 > DEPTH_MAX) throw bad(`nests deeper than ${DEPTH_MAX} levels`, name)
  const last = path.pop() ?? ''
  let map = root
  for (const segment of path) map = descend(parse, map, segment, name)
  set(parse, map, last, value, name)
}

/** The segments of a name, such as `a`, `b` and an empty one for `a[b][]`; null if it is not well-formed. */
function pathOf(name: string): string[] | null {
  // The pattern would cost more than the rest of a pair, and most names have no brackets.
  if (name !== '' && !bracket.test(name)) return [name]
  const [, first, brackets] = nested.exec(name) ?? []
  return first === undefined || brackets === undefined ? null : [first, ...brackets.slice(1, -1).split('][')]
}

function descend(parse: Parse, map: FormTree, segment: string, name: string): FormTree {
  const key = keyOf(parse, map, segment)
  const found = map[key]
  if (typeof found === 'string') throw bad('is given both as a value and as a map', name)
  if (found !== undefined) return found
  const made = parse.emptyMap()
  map[key] = made
  return made
}

function set(parse: Parse, map: FormTree, segment: string, value: string, name: string): void {
  const key = keyOf(parse, map, segment)
  const found = map[key]
  if (found !== undefined) {
    throw bad(
      typeof found === 'string' ? 'is given more than once' : 'is given both as a value and as a map',
      name,
    )
  }
  map[key] = value
}

/** `a[]=x&a[]=y`: each value gets the index after the highest one so far. */
function keyOf({ nextIndexes }: Parse, map: FormTree, segment: string): string {
  if (segment !== '' && !index.test(segment)) return segment
  const next = nextIndexes.get(map) ?? 0
  const key = segment === '' ? String(next) : segment
  nextIndexes.set(map, Math.max(next, Number(key) + 1))
  return key
}

/** @param name the parameter, to whose value the text belongs; empty for the text of a name */
function decode(text: string, name = ''): string {
  if (!encoded.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw bad('is not well-formed percent-encoded UTF-8', name)
  }
}

const bad = (message: string, name: string) => new Refusal('invalid_request', message, { param: name })
