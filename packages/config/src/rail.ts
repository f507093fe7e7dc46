import { z } from 'zod'
import type { CamelCased } from './camel-case.ts'
import type { Context } from './context.ts'
import { mtnMomo } from './rails/mtn-momo.ts'
import { orangeMoney } from './rails/orange-money.ts'
import { notReserved } from './segment.ts'

type RailShape = (context: Context) => z.ZodType<{ readonly adapter: string; readonly display: object }>

/** Adapters by name. Each shape's `adapter` field is the literal of its key. */
export type RailShapes = Readonly<Record<string, RailShape>>

/** The adapters of this service. packages/rails has an opener for each; the compiler checks that. */
export const railShapes = { mtn_momo: mtnMomo, orange_money: orangeMoney } satisfies RailShapes

type Entry<S extends RailShapes> = z.output<ReturnType<S[keyof S]>>

export type ConfiguredRail<S extends RailShapes, A extends keyof S> = CamelCased<
  z.output<ReturnType<S[A]>> & { readonly code: string }
>

export const rails = <S extends RailShapes>(context: Context, shapes: S) =>
  z
    .record(
      z
        .string()
        .regex(/^[a-z][a-z0-9_]{0,63}$/, {
          error: 'must be a rail code: a lower-case letter, then a-z 0-9 _',
          abort: true,
        })
        .check(notReserved),
      oneOf(context, shapes),
    )
    .transform((byCode) => Object.entries(byCode).map(([code, rail]) => ({ ...rail, code })))

// The library derives a union type only from a fixed list.
const oneOf = <S extends RailShapes>(context: Context, shapes: S) =>
  z.discriminatedUnion(
    'adapter',
    Object.values(shapes).map((shape) => shape(context)) as never,
  ) as unknown as z.ZodType<Entry<S>>
