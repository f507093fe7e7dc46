import { randomAmount, randomMsisdn, visitPage } from '@merchant-payments/testing/payers'
import type { Random } from '@merchant-payments/testing/random'
import { ORANGE_RAIL, PUSH_RAIL } from '../harness.ts'
import type { Run } from './run.ts'
import type { Time } from './time.ts'
import { addFault, change, noteFaults } from './weather.ts'

/** Keeps the machine busy while some shops wait for a rail that hangs. */
const BUYERS = 128
/** Fails, and succeeds later. */
const LATE_PAYER = '237670000480'
const GOOD_PAYER = '237670000001'
const PATIENCE_TICKS = 100
/** Attempts with one key. A process rarely dies, so more failures in a row have another cause. */
const TRIES_MAX = 10

/** Resolves when this many payments have been tried. */
export async function openShops(run: Run, time: Time, random: Random, payments: number): Promise<void> {
  let left = payments
  const buyer = async () => {
    for (let nth = left--; nth > 0; nth = left--) await buy(run, time, random.fork(nth), nth)
  }
  await Promise.all(Array.from({ length: BUYERS }, buyer))
  await noteFaults(run)
}

/** A shop and its payer, who retry, use two windows, change the operator, and give up. */
async function buy(run: Run, time: Time, random: Random, nth: number): Promise<void> {
  await change(run, random)
  const form = `amount=${randomAmount(random, run.payers)}&currency=XAF&payment_method_types[]=${PUSH_RAIL}&payment_method_types[]=${ORANGE_RAIL}`
  const { body } = await post(run, '/v1/payment_intents', form, `${nth}-create`)
  const path = `/v1/payment_intents/${body.id}`
  const cancel = (name: string) => post(run, `${path}/cancel`, '', `${nth}-cancel-${name}`)
  if (random.chance(0.05)) return payTwice(run, time, path, `${nth}`)
  const tries = random.int(1, 3)
  for (let n = 0; n < tries; n += 1) {
    if (random.chance(0.3)) await addFault(run, random)
    const confirm = (form: string, key = `${nth}-${n}`) => post(run, `${path}/confirm`, form, key)
    const chosen = confirmForm(run, random)
    const windows = [confirm(chosen)]
    if (random.chance(0.1)) windows.push(confirm(chosen))
    if (random.chance(0.1)) windows.push(confirm(confirmForm(run, random), `${nth}-${n}-other`))
    if (random.chance(0.1)) windows.push(cancel(`while-${n}`))
    const answers = await Promise.all(windows)
    if (random.chance(0.5)) answers.push(await confirm(chosen))
    const page = answers.map((answer) => answer.body.next_action?.redirect_to_url.url).find(Boolean)
    if (page !== undefined) await visitPage(random, run.payers, page)
    await time.ticks(random.pick([0, 1, 2, 6]))
  }
  if (random.chance(0.15)) await cancel('at-last')
}

/** A payer who pays again after a reported failure. If the first charge then succeeds, the second is a duplicate. */
async function payTwice(run: Run, time: Time, path: string, nth: string): Promise<void> {
  await post(run, `${path}/confirm`, pushForm(LATE_PAYER), `${nth}-first`)
  for (let n = 0; n < PATIENCE_TICKS; n += 1) {
    const { body } = await run.api.call({ path })
    if (body.last_payment_error !== null) break
    await time.ticks(1)
  }
  await post(run, `${path}/confirm`, pushForm(GOOD_PAYER), `${nth}-second`)
}

const pushForm = (msisdn: string) => `payment_method_data[${PUSH_RAIL}][msisdn]=${msisdn}`

function confirmForm({ payers }: Run, random: Random): string {
  if (random.chance(0.4)) return `payment_method_data[${ORANGE_RAIL}]=&return_url=https://shop.example/back`
  return pushForm(randomMsisdn(random, payers))
}

/** Repeats a request with the same key after the process has died, as a merchant's client does. */
async function post({ api, journal }: Run, path: string, form: string, key: string) {
  for (let tries = 1; ; tries += 1) {
    const answer = await api.call({ method: 'POST', path, form, key })
    const { status, text: body } = answer
    journal.push({ merchant: 'acme', key, request: `POST ${path} ${form}`, status, body })
    if (status !== 500) return answer
    if (tries === TRIES_MAX) throw new Error(`no answer to ${path} but ${body}`)
  }
}
