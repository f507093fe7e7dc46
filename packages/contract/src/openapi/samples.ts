import type { Json } from '../examples.ts'
import { type Operation, takesBody, takesKey } from '../operation.ts'

/** An example's call with the Node SDK; null on a surface that the SDK does not serve. */
export function sdkCallOf({ id, surface, example }: Operation): string | null {
  if (surface !== 'v1') return null
  const args = [
    ...(example.id === undefined ? [] : [literal(example.id, 0)]),
    ...(example.params === undefined ? [] : [literal(example.params, 0)]),
  ]
  const call = `payments.${id}(${args.join(', ')})`
  // A list sends its request only when it is read.
  return `await ${call}${id.endsWith('.list') ? '.page()' : ''}`
}

/** Formats JSON as a TypeScript literal. */
function literal(value: Json, depth: number): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map((one: Json) => literal(one, depth)).join(', ')}]`
  const entries = Object.entries(value as { [key: string]: Json }).map(
    ([key, one]) => `${key}: ${literal(one, depth + 1)}`,
  )
  const inline = `{ ${entries.join(', ')} }`
  const indent = '  '.repeat(depth + 1)
  return inline.length <= 60
    ? inline
    : `{\n${entries.map((entry) => `${indent}${entry},\n`).join('')}${'  '.repeat(depth)}}`
}

const headersOf: Readonly<Record<Operation['surface'], (isChange: boolean) => readonly string[]>> = {
  v1: () => ['Authorization: Bearer $ACCESS_TOKEN'],
  browser: () => ['Publishable-Key: $PUBLISHABLE_KEY', 'Client-Secret: $CLIENT_SECRET'],
  dash: (isChange) => [
    'Cookie: __Host-staff_session=$STAFF_SESSION',
    ...(isChange ? ['Origin: $BASE_URL', 'csrf-token: $CSRF_TOKEN'] : []),
  ],
}

/** The operation's example call with curl. The shell's environment has the service's address and the credentials. */
export function curlOf(operation: Operation): string {
  const { surface, method, path, example } = operation
  const target = `"$BASE_URL${path.replace('{id}', example.id ?? '')}"`
  const headers = [
    ...headersOf[surface](takesBody(operation)),
    ...(takesKey(operation) ? ['Idempotency-Key: $IDEMPOTENCY_KEY'] : []),
  ]
  const fields = pairsOf(example.params ?? {}).map(
    ([name, value]) => `--data-urlencode '${quoted(`${name}=${value}`)}'`,
  )
  const verb = method === 'GET' ? (fields.length > 0 ? ['--get'] : []) : [`--request ${method}`]
  const lines = [`curl ${target}`, ...verb, ...headers.map((header) => `--header "${header}"`), ...fields]
  return lines.join(' \\\n  ')
}

const quoted = (text: string): string => text.replaceAll("'", String.raw`'\''`)

/** Flattens nested values to the form's spelling, such as `a[b][0]=c`. Null is the empty value. */
export function pairsOf(value: Json, name = ''): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[name, value === null ? '' : String(value)]]
  return Object.entries(value).flatMap(([key, inner]) =>
    pairsOf(inner, name === '' ? key : `${name}[${key}]`),
  )
}
