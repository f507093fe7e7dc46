import { z } from 'zod'
import { wireShapes } from '../form.ts'

export type JsonSchema = { [key: string]: unknown }

/** Schemas that the document defines once, by their names. */
export type NamedSchemas = ReadonlyMap<z.ZodType, string>

const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/**
 * The JSON Schema of what a client sends (`input`) or receives (`output`). Where a piece of a form tells by its parser
 * alone what it takes, `wireShapes` says it.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output', named: NamedSchemas): JsonSchema {
  const root = named.get(schema)
  return root === undefined ? inlineSchemaOf(schema, io, named) : refTo(root)
}

/** The same, written out even if it has a name. */
export function inlineSchemaOf(schema: z.ZodType, io: 'input' | 'output', named: NamedSchemas): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // Each use written where it is: what has a name is referred to below.
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => {
      const inner = zodSchema as unknown as z.ZodType
      const name = inner === schema ? undefined : named.get(inner)
      const shape = wireShapes.get(inner)?.shape
      if (name !== undefined) replace(jsonSchema, refTo(name))
      else if (shape !== undefined)
        replace(
          jsonSchema,
          shape((piece) => jsonSchemaOf(piece as z.ZodType, io, named)),
        )
      else tidy(jsonSchema)
    },
  }) as JsonSchema
  return json
}

function replace(target: JsonSchema, source: JsonSchema): void {
  for (const key of Object.keys(target)) delete target[key]
  Object.assign(target, source)
}

/** Drops what JSON Schema only says because TypeScript cannot: bounds of safe integers, parameters that are refused. */
function tidy(json: JsonSchema): void {
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum']
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum']
  const properties = json['properties'] as Record<string, JsonSchema> | undefined
  for (const [name, property] of Object.entries(properties ?? {})) {
    if (isRefused(property)) delete properties?.[name]
  }
}

const isRefused = ({ not }: JsonSchema): boolean =>
  typeof not === 'object' && not !== null && Object.keys(not).length === 0
