import { declaredDocuments } from '../openapi/documents.ts'
import type { JsonSchema } from '../openapi/schema.ts'
import { eventDeclarations, snapshotOf, snapshotResources } from './events.ts'
import { declarationOf, GENERATED } from './type-script.ts'

const exported = new Set([
  ...snapshotResources,
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
  const { schemas } = declaredDocuments.v1()['components'] as { schemas: Record<string, JsonSchema> }
  const event = schemas['Event'] ?? {}
  const declarations = [...componentsOf(schemas)].map((name) =>
    declarationOf({
      name: names(name),
      schema: snapshotOf(name, schemas[name] ?? {}),
      mode: 'answer',
      names,
      isExported: exported.has(name),
    }),
  )
  const metadata =
    '/** Key-value pairs that the merchant stored. */\nexport type Metadata = Record<string, string>'
  return `${[GENERATED, metadata, ...declarations, ...eventDeclarations(event, names, ['EventObjects', 'Envelope'])].join('\n\n')}\n`
}

/** Those resources and every component to which their snapshots refer. */
function componentsOf(schemas: Record<string, JsonSchema>): Set<string> {
  const found = new Set<string>()
  const visit = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    const text = JSON.stringify(snapshotOf(name, schemas[name] ?? {}))
    for (const [, inner = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) visit(inner)
  }
  for (const name of snapshotResources) visit(name)
  return found
}
