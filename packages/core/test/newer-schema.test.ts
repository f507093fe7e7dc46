import { addColumns } from '@merchant-payments/testing/newer-schema'
import { expect, onTestFinished, test } from 'vitest'
import { approveAll, billAndPay, meetAndErase, payAndRefund, sellOnPages } from './lives.ts'
import { onOneConnection } from './rows-read.ts'
import { openWorld } from './world.ts'

test.each([
  ['a payment, until its refund and their webhooks', payAndRefund],
  ['a customer, until erased or removed', meetAndErase],
  ['sessions, one paid, one ended, one over', sellOnPages],
  ['a bill, until paid', billAndPay],
])(
  'the prepared statements of %s run after a later release added a column to every table',
  async (_, life) => {
    const lost: Error[] = []
    const world = await onOneConnection(await openWorld(), (error) => lost.push(error))
    onTestFinished(() => world.stop())
    approveAll(world)
    await life(world)
    await addColumns(world.url)
    approveAll(world)
    await life(world)
    expect(lost).toEqual([])
  },
)
