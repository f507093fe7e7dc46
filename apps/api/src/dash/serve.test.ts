import { listStaffRefunds, retrieveStatement, type Operation } from '@merchant-payments/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { reading } from './serve.ts'

const request = { params: {}, url: '/dash/v1/rails' } as FastifyRequest
const staff = { subject: 'vera', name: 'Vera', role: 'viewer' } as const
const signedIn = { staff, secret: '', expiresAtMs: 0, authTimeMs: null }

const served = (operation: Operation, fault: Error) => {
  const run = async () => {
    throw fault
  }
  const route = reading(operation, run, () => Promise.resolve())
  return route.run(signedIn, request, {} as FastifyReply)
}

const timedOut = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })

test('a search that exceeds the statement timeout is a 400 that asks for a narrower range', async () => {
  await expect(served(listStaffRefunds, timedOut)).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'The query timed out; narrow the `created` range.',
    param: 'created',
  })
})

test('where no range can be narrowed, a statement timeout is passed on unchanged', async () => {
  await expect(served(retrieveStatement, timedOut)).rejects.toBe(timedOut)
})

test('any other error is passed on unchanged', async () => {
  const fault = Object.assign(new Error('no such table'), { code: '42P01' })
  await expect(served(listStaffRefunds, fault)).rejects.toBe(fault)
})
