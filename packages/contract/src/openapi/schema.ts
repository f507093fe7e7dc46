import type { z } from 'zod'
import { type CreateDocumentOptions, createSchema } from 'zod-openapi'
import { wireShapes } from '../form.ts'

export type JsonSchema = { [key: string]: unknown }

type Override = NonNullable<CreateDocumentOptions['override']>

/** Corrects what zod alone gets wrong: the shape of form parts and the bounds of safe integers. */
const override: Override = ({ zodSchema, jsonSchema }) => {
  const json = jsonSchema as JsonSchema
  const wire = wireShapes.get(zodSchema as unknown as z.ZodType)
  if (wire === undefined) return tidy(json)
  const { description } = json
  for (const key of Object.keys(json)) delete json[key]
  Object.assign(json, wire.shape(shapeOf), description === undefined ? {} : { description })
}

/** Custom checks and transformations have no shape. `wireShapes` or the surrounding part has it. */
export const options: CreateDocumentOptions = {
  override,
  allowEmptySchema: { custom: true, transform: true, pipe: true },
}

const shapeOf = (piece: unknown): JsonSchema =>
  createSchema(piece as z.ZodType, { io: 'input', opts: options }).schema as JsonSchema

/** Removes what JSON Schema cannot use: bounds of safe integers and prefixes of ids. */
function tidy(json: JsonSchema): void {
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum']
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum']
  delete json['prefix']
}

export const isRefused = ({ not }: JsonSchema): boolean =>
  typeof not === 'object' && not !== null && Object.keys(not).length === 0

export const isNested = ({ type, oneOf }: JsonSchema): boolean =>
  type === 'object' || type === 'array' || (oneOf as JsonSchema[] | undefined)?.some(isNested) === true
