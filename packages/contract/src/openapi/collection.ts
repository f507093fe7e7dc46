import { operations } from './documents.ts'
import { tagOf } from './document.ts'
import { type Operation, takesKey } from '../operation.ts'
import { resources } from '../resources.ts'
import { pairsOf } from './samples.ts'

/** The format of Postman, which Bruno, Insomnia and Hoppscotch import too. */
const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** The parts of a collection that this one has. */
interface CollectionItem {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly description: string
    readonly header: readonly Pair[]
    readonly url: {
      readonly raw: string
      readonly host: readonly string[]
      readonly path: readonly string[]
      readonly query?: readonly Pair[]
      readonly variable?: readonly Pair[]
    }
    readonly body?: { readonly mode: 'urlencoded'; readonly urlencoded: readonly Pair[] }
  }
}

interface Pair {
  readonly key: string
  readonly value: string
}

interface Collection {
  readonly info: { readonly name: string; readonly description: string; readonly schema: string }
  readonly auth: object
  readonly variable: readonly Pair[]
  readonly item: readonly {
    readonly name: string
    readonly description: string
    readonly item: readonly CollectionItem[]
  }[]
}

/** The calls of /v1 with the examples of the OpenAPI document, a folder for each resource. */
export function collection(): Collection {
  const own = operations.filter(({ surface }) => surface === 'v1')
  return {
    info: {
      name: 'Merchant Payments',
      description:
        'Each call of /v1 with its example. Set `base_url`, and `access_token` to what `merchant-payments token` prints: it lives 15 minutes. Replace the ids of the examples by your own.',
      schema: FORMAT,
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{access_token}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: 'http://127.0.0.1:8080' },
      { key: 'access_token', value: '' },
    ],
    item: resources.flatMap(({ tag, title, description }) => {
      const item = own.filter((operation) => tagOf(operation) === tag).map(itemOf)
      return item.length === 0 ? [] : [{ name: title, description, item }]
    }),
  }
}

function itemOf(operation: Operation): CollectionItem {
  const { method, path, summary, description, example } = operation
  const segments = path.slice(1).replace('{id}', ':id').split('/')
  const fields = pairsOf(example.params ?? {}).map(([key, value]) => ({ key, value }))
  const isQuery = method === 'GET' && fields.length > 0
  const query = isQuery
    ? `?${fields.map(({ key, value }) => `${key}=${encodeURIComponent(value)}`).join('&')}`
    : ''
  return {
    name: summary,
    request: {
      method,
      description: description.join('\n\n'),
      header: takesKey(operation) ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : [],
      url: {
        raw: `{{base_url}}/${segments.join('/')}${query}`,
        host: ['{{base_url}}'],
        path: segments,
        ...(isQuery && { query: fields }),
        ...(example.id !== undefined && { variable: [{ key: 'id', value: example.id }] }),
      },
      ...(!isQuery && fields.length > 0 && { body: { mode: 'urlencoded' as const, urlencoded: fields } }),
    },
  }
}
