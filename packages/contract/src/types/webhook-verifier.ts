import { documents } from '../openapi/documents.ts'
import type { JsonSchema } from '../openapi/schema.ts'
import { eventDeclarations } from './events.ts'
import { declarationOf, GENERATED } from './type-script.ts'

/** In reading order. Other components are only part of these. */
const resources = ['PaymentIntent', 'Refund', 'CheckoutSession', 'Customer', 'Invoice']
const exported = new Set([
  ...resources,
  'Address',
  'Currency',
  'DeclineCode',
  'NextAction',
  'LastPaymentError',
  'EventType',
])

/** The package had this name before the contract existed. */
const names = (component: string): string => (component === 'LastPaymentError' ? 'PaymentError' : component)

/** Declares the resources in webhook bodies (spec 6.2), and their events. */
export function webhookVerifierTypes(): string {
  const { schemas } = documents.v1()['components'] as { schemas: Record<string, JsonSchema> }
  const event = schemas['Event'] ?? {}
  const declarations = [...componentsOf(schemas)].map((name) =>
    declarationOf({
      name: names(name),
      schema: asSnapshot(name, schemas[name] ?? {}),
      mode: 'answer',
      names,
      isExported: exported.has(name),
    }),
  )
  const metadata =
    '/** Key-value pairs that the merchant stored. */\nexport type Metadata = Record<string, string>'
  return `${[GENERATED, metadata, ...declarations, ...eventDeclarations(event, names, true)].join('\n\n')}\n`
}

/** Those resources and every component to which their snapshots refer. */
function componentsOf(schemas: Record<string, JsonSchema>): Set<string> {
  const found = new Set<string>()
  const visit = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    const text = JSON.stringify(asSnapshot(name, schemas[name] ?? {}))
    for (const [, inner = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) visit(inner)
  }
  for (const name of resources) visit(name)
  return found
}

/** The snapshot of a resource: without secret, page address and lines (spec 6.2). */
function asSnapshot(name: string, schema: JsonSchema): JsonSchema {
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined
  if (properties === undefined || !resources.includes(name)) return schema
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
