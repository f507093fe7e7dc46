import { declaredDocuments } from '../openapi/documents.ts'
import type { JsonSchema } from '../openapi/schema.ts'
import { declarationOf, GENERATED } from './type-script.ts'
import { payerUsage } from './usage.ts'

const roots = ['BrowserIntent', 'BrowserSession']
const exported = new Set([...roots, 'Currency', 'DeclineCode', 'LocalizedText', 'RailOffer'])

const names = (component: string): string => component

/** Declares what a payer's device reads. */
export function payerClientTypes(): string {
  const { schemas } = declaredDocuments.browser()['components'] as { schemas: Record<string, JsonSchema> }
  const found = new Set<string>()
  const visit = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    const text = JSON.stringify(schemas[name])
    for (const [, inner = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) visit(inner)
  }
  for (const root of roots) visit(root)
  const declarations = [...found].map((name) =>
    declarationOf({
      name,
      schema: schemas[name] ?? {},
      mode: 'answer',
      names,
      isExported: exported.has(name),
      usage: payerUsage[name],
    }),
  )
  return `${[GENERATED, ...declarations].join('\n\n')}\n`
}
