import type { KeyObject } from 'node:crypto'
import type { Secret } from './secret.ts'

type Leaf = Secret | KeyObject | ReadonlyMap<string, unknown>

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name

/** T with camelCase object keys and read-only properties. */
export type CamelCased<T> = T extends Leaf
  ? T
  : T extends readonly unknown[]
    ? { readonly [K in keyof T]: CamelCased<T[K]> }
    : T extends object
      ? { readonly [K in keyof T as Camel<K>]: CamelCased<T[K]> }
      : T

export const camelCased = <T>(value: T): CamelCased<T> => convert(value) as CamelCased<T>

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [camel(key), convert(part)]))
}

const camel = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
