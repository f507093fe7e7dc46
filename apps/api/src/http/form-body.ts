import { Refusal } from '@merchant-payments/contract'

/** A decoded form: strings at the leaves, null-prototype maps between them, so that every key is an ordinary one. */
export interface FormTree {
  [key: string]: string | FormTree
}

/** docs/spec-gaps.md, bodies: pairs of one form, and brackets of one name. */
const PAIRS_MAX = 1_000
const DEPTH_MAX = 5

const index = /^(?:0|[1-9]\d{0,8})$/
const nameShape = /^([^[\]]+)((?:\[[^[\]]*\])*)$/

/**
 * Spec 2.1: application/x-www-form-urlencoded with bracket nesting. Serves bodies and query strings alike.
 *
 * @throws Refusal invalid_request naming the parameter in bracket spelling
 */
export function parseForm(text: string): FormTree {
  const root = emptyMap()
  if (text === '') return root
  const pairs = text.split('&', PAIRS_MAX + 1)
  if (pairs.length > PAIRS_MAX)
    throw new Refusal('invalid_request', `A form has at most ${PAIRS_MAX} parameters.`)
  for (const pair of pairs) {
    if (pair !== '') insert(root, pair)
  }
  return root
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws Refusal invalid_request for a body that is not UTF-8 */
export function decodeBody(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw new Refusal('invalid_request', 'The body is not valid UTF-8.')
  }
}

function insert(root: FormTree, pair: string): void {
  const at = pair.indexOf('=')
  const name = decode(at < 0 ? pair : pair.slice(0, at))
  const value = decode(at < 0 ? '' : pair.slice(at + 1), name)
  const shape = nameShape.exec(name)
  if (shape === null) throw bad('is not a well-formed parameter name', name)
  if (name.includes('\0') || value.includes('\0')) throw bad('must not hold a NUL character', name)
  const [, first = '', brackets = ''] = shape
  const path = [
    first,
    ...brackets
      .slice(1, -1)
      .split('][')
      .slice(0, brackets === '' ? 0 : undefined),
  ]
  if (path.length - 1 > DEPTH_MAX) throw bad(`nests deeper than ${DEPTH_MAX} levels`, name)
  const last = path.pop() ?? ''
  let map = root
  for (const segment of path) map = descend(map, segment, name)
  set(map, last, value, name)
}

function descend(map: FormTree, segment: string, name: string): FormTree {
  const key = segment === '' ? nextIndex(map) : segment
  const found = map[key]
  if (typeof found === 'string') throw bad('is given both as a value and as a map', name)
  if (found !== undefined) return found
  const made = emptyMap()
  map[key] = made
  return made
}

function set(map: FormTree, segment: string, value: string, name: string): void {
  const key = segment === '' ? nextIndex(map) : segment
  if (map[key] !== undefined) {
    throw bad(
      typeof map[key] === 'string' ? 'is given more than once' : 'is given both as a value and as a map',
      name,
    )
  }
  map[key] = value
}

/** `a[]=x&a[]=y`: each takes the place after the last. */
const nextIndex = (map: FormTree): string =>
  String(
    Object.keys(map).reduce((next, key) => (index.test(key) ? Math.max(next, Number(key) + 1) : next), 0),
  )

const emptyMap = (): FormTree => Object.create(null) as FormTree

function decode(text: string, name?: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    const message = 'is not well-formed percent-encoded UTF-8'
    throw name === undefined
      ? new Refusal('invalid_request', `A parameter's name ${message}.`)
      : bad(message, name)
  }
}

const bad = (message: string, name: string) =>
  new Refusal('invalid_request', message, { param: name.replaceAll('\0', '') })
