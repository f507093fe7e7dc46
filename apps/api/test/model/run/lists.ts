import type { OperationId } from '../books/operations.ts'
import type { Pair } from '../books/form.ts'
import type { Ask } from '../books/judge.ts'
import { operations } from '../../v1/operations.ts'
import { exchange, type Model } from './command.ts'

const limit: Pair = ['limit', '100']

/** Every list of the merchants is what the books hold, to its end. */
export async function compareLists(model: Model): Promise<void> {
  for (const shop of model.books.shops.keys())
    for (const { id, path } of operations.filter(({ id }) => id.endsWith('.list')))
      await walk(model, { ...asked, operation: id as OperationId, shop, path })
}

const asked = { method: 'GET', id: '', pairs: [limit], key: null, secret: null, throttled: false } as const

async function walk(model: Model, ask: Ask): Promise<void> {
  const { verdict } = await exchange(model, ask)
  const { data, has_more: isOpen } = ('body' in verdict ? verdict.body : {}) as unknown as Page
  const last = data.at(-1)
  if (isOpen && last !== undefined) await walk(model, { ...ask, pairs: [limit, ['starting_after', last.id]] })
}

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly has_more: boolean
}
