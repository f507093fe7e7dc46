import { eventKinds } from '../events.ts'
import type { JsonSchema } from '../openapi/schema.ts'
import { commentOf, membersOf, type NameOf } from './type-script.ts'

/** Declares the resource of each event type, and the event itself. */
export function eventDeclarations(event: JsonSchema, names: NameOf, isExported: boolean): string[] {
  const keyword = isExported ? 'export ' : ''
  const rows = Object.entries(eventKinds).map(
    ([type, { object, description }]) => `${commentOf(description, 1)}\n  '${type}': ${names(object)}`,
  )
  const { data: _, type, ...head } = event['properties'] as Record<string, JsonSchema>
  const members = membersOf({ ...event, properties: head }, 'answer', 1, names)
  const data = (event['properties'] as { data: { description: string; properties: { object: JsonSchema } } })
    .data
  return [
    `${commentOf('The fifteen event types of the service, each with the resource that `data.object` is a snapshot of.', 0)}
${keyword}interface EventObjects {
${rows.join('\n')}
}`,
    `${commentOf(String(event['description']), 0)}
${keyword}interface Envelope<Type, Resource> {
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
