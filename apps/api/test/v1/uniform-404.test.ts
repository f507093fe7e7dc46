import { methodsOf, type Operation } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { browserCall } from '../browser/calls.ts'
import { prefixOf } from '../fuzz/targets.ts'
import { startTestApi, type TestAnswer, type TestCall } from '../harness.ts'
import { confirmForm, createIntent } from '../steps.ts'
import { idMakers } from './id-makers.ts'
import { browserOperations, operations } from './operations.ts'
import { strangeIds } from './strange-ids.ts'

/** Parameters that an operation requires before it looks for its object. */
const forms: Readonly<Record<string, string>> = {
  'paymentIntents.confirm': confirmForm(),
  'browser.paymentIntents.confirm': confirmForm(),
}

const api = await startTestApi()
afterAll(() => api.stop())

const ownHeaders = ['request-id', 'x-request-id', 'date']
const bytesOf = ({ status, text, headers }: TestAnswer) => ({
  status,
  text,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name))),
})

const withIds = (among: readonly Operation[]) =>
  among
    .filter(({ path }) => path.includes('{'))
    .flatMap((operation) =>
      methodsOf(operation).map(
        (method) => [`${method} ${operation.path}`, { ...operation, method }] as const,
      ),
    )

/** A foreign id, an unknown one and an ill-formed one. */
async function idsOfNobody(prefix: string): Promise<string[]> {
  const make = idMakers[prefix]
  if (make === undefined) throw new Error(`id-makers.ts makes no ${prefix}_ yet`)
  const foreign = await make(api, 'globex')
  return [foreign, `${prefix}_0193f2d5e0a07c3e9b1a2b3c4d5e6f70`, ...strangeIds(foreign)]
}

async function answersOf(operation: Operation, callOf: (path: string) => TestCall): Promise<TestAnswer[]> {
  const ids = await idsOfNobody(prefixOf(operation) ?? '')
  const answers: TestAnswer[] = []
  for (const id of ids) answers.push(await api.call(callOf(operation.path.replace(/\{\w+\}/, id))))
  return answers
}

const requestOf = ({ id, method, body }: Operation): Pick<TestCall, 'method' | 'form'> => ({
  method,
  ...(body === undefined ? {} : { form: forms[id] ?? '' }),
})

describe('a foreign, an unknown and an ill-formed id have the same 404, byte for byte [§4.4.5, §7.2]:', () => {
  test.each(withIds(operations))('%s', async (_, operation) => {
    const [first, ...others] = await answersOf(operation, (path) => ({ path, ...requestOf(operation) }))
    expect(first).toBeRefusal('resource_missing')
    const same = bytesOf(first as TestAnswer)
    for (const other of others) expect(bytesOf(other)).toEqual(same)
  })

  test('and the object is unchanged', async () => {
    const { id } = await createIntent(api, '', { merchant: 'globex' })
    const path = `/v1/payment_intents/${id}`
    const before = await api.call({ path, merchant: 'globex' })
    for (const more of ['', '/confirm', '/cancel']) {
      await api.call({ path: `${path}${more}`, ...(more === '' ? {} : { form: confirmForm() }) })
    }
    expect((await api.call({ path, merchant: 'globex' })).text).toBe(before.text)
  })
})

describe('with a payer’s valid key and secret of another object, they also have the same answer:', () => {
  test.each(withIds(browserOperations))('%s', async (_, operation) => {
    const { client_secret: secret } = await createIntent(api)
    const [first, ...others] = await answersOf(operation, (path) =>
      browserCall(path.replace('/v1/browser', ''), { secret }, requestOf(operation)),
    )
    expect(first).toBeRefusal('resource_missing')
    const same = bytesOf(first as TestAnswer)
    for (const other of others) expect(bytesOf(other)).toEqual(same)
  })
})
