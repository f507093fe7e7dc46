import { eventKinds } from '../events.ts'
import type { JsonSchema } from '../openapi/schema.ts'
import { commentOf, membersOf, type NameOf } from './type-script.ts'

/** The resources of events, in reading order. Other components are only part of these. */
export const snapshotResources: readonly string[] = [
  'PaymentIntent',
  'Refund',
  'CheckoutSession',
  'Customer',
  'Invoice',
]

/** Declares the resource of each event type, and the event itself. */
export function eventDeclarations(
  event: JsonSchema,
  names: NameOf,
  exported: readonly ('EventObjects' | 'Envelope')[],
): string[] {
  const keywordOf = (name: 'EventObjects' | 'Envelope') => (exported.includes(name) ? 'export ' : '')
  const rows = Object.entries(eventKinds).map(
    ([type, { object, description }]) => `${commentOf(description, 1)}\n  '${type}': ${names(object)}`,
  )
  const { data: _, type, ...head } = event['properties'] as Record<string, JsonSchema>
  const members = membersOf({ ...event, properties: head }, 'answer', 1, names)
  const data = (event['properties'] as { data: { description: string; properties: { object: JsonSchema } } })
    .data
  return [
    `${commentOf('The fifteen event types of the service, each with the resource that `data.object` is a snapshot of.', 0)}
${keywordOf('EventObjects')}interface EventObjects {
${rows.join('\n')}
}`,
    `${commentOf(String(event['description']), 0)}
${keywordOf('Envelope')}interface Envelope<Type, Resource> {
${members}
${commentOf(String(type?.['description']), 1)}
  type: Type
${commentOf(data.description, 1)}
  data: {
${commentOf(String(data.properties.object['description']), 2)}
    object: Resource
  }
}`,
  ]
}

/** The snapshot of a resource: without secret, page address and lines (spec 6.2). */
export function snapshotOf(name: string, schema: JsonSchema): JsonSchema {
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined
  if (properties === undefined || !snapshotResources.includes(name)) return schema
  const { client_secret: _, ...shown } = properties
  return { ...schema, properties: { ...shown, ...narrowed(name, shown) } }
}

function narrowed(name: string, { lines }: Record<string, JsonSchema>): Record<string, JsonSchema> {
  if (name === 'CheckoutSession') {
    const description = 'Always null in a webhook body, for every `ui_mode` (spec 6.2).'
    return { url: { type: 'null', description } }
  }
  if (name !== 'Invoice' || lines === undefined) return {}
  const list = lines['properties'] as Record<string, JsonSchema>
  const description = 'Always empty in a webhook body: read the lines from the invoice (spec 6.2).'
  return {
    lines: {
      ...lines,
      description,
      properties: {
        ...list,
        has_more: { const: false, description: 'Always false in a webhook body.' },
        data: { type: 'array', maxItems: 0, description: 'Always empty in a webhook body.' },
      },
    },
  }
}
