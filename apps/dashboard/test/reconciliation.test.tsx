import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { comes, isSo, openAt, press, submit, useDashboard, write } from './page.ts'
import { envelope } from './staff-api.ts'
import { differenceOf, entryOf, idOf, statementOf } from './wire.ts'

const api = useDashboard()
const AGREE = 'The statement and the ledger agree.'

const openStatement = async (change: Parameters<typeof statementOf>[0], query = '') => {
  api.answers.statement = { ...statementOf(change), differences: [], has_more: false }
  await openAt(`/reconciliation/${idOf('st', 1)}${query}`)
}

describe('a statement', () => {
  test.each(['matched', 'closed'] as const)('that is %s without a difference agrees', async (status) => {
    await openStatement({ status })
    expect(await comes(AGREE)).toBeTruthy()
  })

  test.each(['reading', 'matching'] as const)(
    'of which nothing was found yet, because it is %s, is not said to agree',
    async (status) => {
      await openStatement({ status, matched: 0 })
      await comes('The comparison has not ended yet.')
      expect(screen.queryByText(AGREE)).toBeNull()
    },
  )

  test.each([
    ['with differences, none of which fits the filter', { theirs_only: 2 }, '?verdict=duplicate'],
    ['whose last page is empty', { theirs_only: 2 }, '?after=2'],
    ['that is looked at in part', {}, '?verdict=duplicate'],
    ['that a newer one replaced', { status: 'replaced' as const }, ''],
  ])('%s is not said to agree', async (_, change, query) => {
    await openStatement(change, query)
    await comes('No matching differences.')
    expect(screen.queryByText(AGREE)).toBeNull()
  })

  test('is compared from here only once its upload has ended', async () => {
    await openStatement({ status: 'matching', matched: 0 })
    api.changes = [statementOf({ status: 'matched' })]
    await press('Compare')
    await isSo(() => expect(api.calls.some(({ path }) => path.endsWith('/compare'))).toBe(true))
  })

  test('whose upload has not ended says so, and cannot be compared', async () => {
    await openStatement({ status: 'reading', matched: 0 })
    await comes(/^The upload has not ended\./)
    expect(screen.queryByRole('button', { name: 'Compare' })).toBeNull()
  })

  test('whose comparison ends elsewhere shows its end after a while', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await openStatement({ status: 'matching', matched: 0 })
    await comes('The comparison has not ended yet.')
    api.answers.statement = { ...statementOf({ status: 'matched' }), differences: [], has_more: false }
    await act(() => vi.advanceTimersByTimeAsync(15_000))
    expect(await comes(AGREE)).toBeTruthy()
  })

  test('that a newer one replaced can neither be compared nor closed', async () => {
    await openStatement({ status: 'replaced' })
    await comes('Replaced')
    for (const name of ['Compare', 'Close the day']) expect(screen.queryByRole('button', { name })).toBeNull()
  })

  test('shows the ledger’s amount in its own currency, or in minor units where that is not known', async () => {
    api.answers.statement = {
      ...statementOf({ amount_differs: 2, ours_only: 1 }),
      has_more: false,
      differences: [
        differenceOf({ currency: 'EUR', verdict: 'amount_differs' }),
        differenceOf({ n: 2, ledger_currency: null, verdict: 'amount_differs' }),
        differenceOf({ n: 3, line: null, amount: null, verdict: 'ours_only' }),
      ],
    }
    await openAt(`/reconciliation/${idOf('st', 1)}`)
    const cells = (await screen.findByRole('table')).querySelectorAll('td[data-head="Ours"]')
    expect([...cells].map(({ textContent }) => textContent)).toEqual([
      '12,500 XAF',
      '12500 minor units',
      '12,500 XAF',
    ])
  })
})

describe('the upload of a day', () => {
  const rail = { object: 'rail', id: 'mtn_momo_cm' } as never
  const begins = () => api.calls.filter(({ method }) => method === 'POST')
  const isUploaded = () =>
    isSo(() =>
      expect(begins().map(({ path }) => path.replace('/dash/v1', ''))).toEqual([
        '/statements',
        `/statements/${idOf('st', 2)}/lines`,
        `/statements/${idOf('st', 2)}/compare`,
      ]),
    )
  const fill = async (day: string) => {
    await write('Day, of the operator', day)
    await write('Reason (saved in the audit log)', 'A newer file.')
  }
  /** In jsdom no file can be chosen, and a file has no stream. */
  const pressAnyway = async (name: string) => {
    Object.assign(File.prototype, { stream: () => new Response('a,b\n').body })
    const form = (await screen.findByRole('button', { name })).closest('form')
    await act(async () => void (form && fireEvent.submit(form)))
  }
  const open = async (...data: ReturnType<typeof statementOf>[]) => {
    api.answers.rails = { object: 'list', url: '/', has_more: false, data: [rail] }
    api.answers.statements = { object: 'list', url: '/', has_more: false, data }
    api.changes = [entryOf({ action: 'statement.create', target: idOf('st', 2) })]
    await openAt('/reconciliation')
    await screen.findByRole('option', { name: 'mtn_momo_cm' })
    await fill('2026-11-20')
  }

  test('that has a comparison already names it, and replaces it only once that is confirmed', async () => {
    await open(statementOf({ theirs_only: 2, duplicate: 1 }))
    await pressAnyway('Upload')
    await comes(/already has a statement, which Omar Operator uploaded: Compared, 1 matched, 3 differences/)
    expect(api.calls.filter(({ query }) => query['day'] === '2026-11-20')).toMatchObject([
      { path: '/dash/v1/statements', query: { rail: 'mtn_momo_cm' } },
    ])
    expect(begins()).toEqual([])
    await pressAnyway('Replace and upload')
    await isUploaded()
  })

  test('is not replaced by the second click of a double click', async () => {
    await open(statementOf())
    await pressAnyway('Upload')
    const replace = await screen.findByRole('button', { name: 'Replace and upload' })
    const isTaken = (detail: number) => fireEvent.click(replace, { detail })
    expect([isTaken(1), isTaken(2)]).toEqual([true, false])
  })

  test('asks again if another day is chosen, or the comparison has gone on', async () => {
    await open(statementOf({ status: 'reading', matched: 0 }))
    await pressAnyway('Upload')
    await comes(/Being uploaded, 0 matched/)
    await fill('2026-11-21')
    expect(screen.queryByText(/Being uploaded, 0 matched/)).toBeNull()
    await pressAnyway('Upload')
    await comes(/Being uploaded, 0 matched/)
    api.answers.statements = { object: 'list', url: '/', has_more: false, data: [statementOf()] }
    await pressAnyway('Replace and upload')
    await comes(/Compared, 1 matched/)
    expect(begins()).toEqual([])
  })

  test('that has no statement, or a closed one, begins at once', async () => {
    await open()
    await pressAnyway('Upload')
    await isUploaded()
    expect(screen.queryByText(/already has a statement/)).toBeNull()
    api.calls.length = 0
    await open(statementOf({ status: 'closed' }))
    await pressAnyway('Upload')
    await isUploaded()
  })
})

describe('the line of a charge that is not paid here', () => {
  const openLine = async (change: Parameters<typeof differenceOf>[0]) => {
    const row = differenceOf({ verdict: 'theirs_only', charge_status: 'failed', ...change })
    api.answers.statement = { ...statementOf({ theirs_only: 1 }), has_more: false, differences: [row] }
    await openAt(`/reconciliation/${idOf('st', 1)}`)
    await screen.findByRole('table')
  }
  const actions = () => document.querySelector('.row-actions')?.textContent

  test.each([
    ['another amount', { amount: 5_000 }, '5,000 XAF', '12,500 XAF'],
    ['another currency', { currency: 'EUR' }, '125.00 EUR', '12,500 XAF'],
  ])('with %s is not offered as evidence, and shows both', async (_, change, line, charge) => {
    await openLine(change)
    expect(screen.queryByRole('button', { name: 'Mark succeeded by this line' })).toBeNull()
    expect(actions()).toContain(`The line is of ${line} and the charge of ${charge}, so it is no evidence.`)
  })

  test('that the operator reversed has a minus sign, and is not offered as evidence', async () => {
    await openLine({ amount: -12_500 })
    const cell = document.querySelector('td[data-head="Statement"]')
    expect(cell?.textContent).toBe('-12,500 XAF reversed by the operator')
    expect(screen.queryByRole('button', { name: 'Mark succeeded by this line' })).toBeNull()
    expect(actions()).toContain('The line is of -12,500 XAF and the charge of 12,500 XAF')
  })

  test('is not offered as evidence if it is a payout under the charge’s reference', async () => {
    await openLine({ kind: 'payout' })
    expect(screen.queryByRole('button', { name: 'Mark succeeded by this line' })).toBeNull()
  })

  test.each([
    ['with proof is not offered as evidence', false, 0],
    ['without proof is offered as evidence', true, 1],
  ])('of a charge that was paid since %s', async (_, unproven, buttons) => {
    await openLine({ charge_status: 'succeeded', unproven })
    expect(screen.queryAllByRole('button', { name: 'Mark succeeded by this line' })).toHaveLength(buttons)
  })

  test('with the charge’s money is offered as evidence, with the amount in the dialog', async () => {
    await openLine({})
    await press('Mark succeeded by this line')
    const dialog = document.querySelector('dialog[open]')
    expect(dialog?.textContent).toContain('The line and the charge are both of 12,500 XAF.')
    expect(dialog?.querySelector('input[name=statement]')).toHaveProperty('value', 't-1')
  })

  test('shows the other money that the rail reports of it, and sends it with the ruling', async () => {
    await openLine({ reported: { amount: null, currency: 'XOF' } })
    await press('Mark succeeded by this line')
    expect(document.querySelector('dialog[open]')?.textContent).toContain(
      'The rail reports a success of – XOF',
    )
    api.changes = [entryOf({ action: 'approval.request' })]
    await act(async () => void fireEvent.click(screen.getByLabelText('Succeeded')))
    await write(/^Reason/, 'it is in the statement')
    await submit()
    await isSo(() => expect(api.calls.filter(({ method }) => method === 'POST')).toHaveLength(1))
    expect(api.calls.find(({ method }) => method === 'POST')?.form).toEqual({
      outcome: 'succeeded',
      statement: 't-1',
      reason: 'it is in the statement',
      seen_reported_amount: '',
      seen_reported_currency: 'XOF',
    })
  })
})

describe('a duplicate charge that the statement lists', () => {
  const openDuplicate = async (change: Parameters<typeof differenceOf>[0]) => {
    const row = differenceOf({ verdict: 'duplicate', charge_status: 'duplicate', ...change })
    api.answers.statement = { ...statementOf({ duplicate: 1 }), has_more: false, differences: [row] }
    await openAt(`/reconciliation/${idOf('st', 1)}`)
    await screen.findByRole('table')
  }
  const back = () => api.calls.find(({ path }) => path.endsWith('/return'))

  test('goes back to the number that paid', async () => {
    await openDuplicate({})
    await press('Return to payer')
    await comes('The whole charge goes back to the number that paid it.')
    expect(screen.queryByLabelText('Return to')).toBeNull()
  })

  test('goes back to a number that the member names, if the payer’s is not known', async () => {
    await openDuplicate({ payer_known: false })
    api.changes = [entryOf({ action: 'approval.request', target: idOf('ch', 1) })]
    await press('Return to payer')
    await comes(/Another staff member must approve the number first/)
    expect(screen.queryByText(/the number that paid it/)).toBeNull()
    await write('Return to', '237670000002')
    await write(/^Reason/, 'It was paid twice.')
    await submit()
    await isSo(() => expect(back()?.form).toEqual({ msisdn: '237670000002', reason: 'It was paid twice.' }))
  })

  test('is not offered for return while it stands on a ruling alone', async () => {
    await openDuplicate({ unproven: true })
    await comes('by a ruling alone')
    expect(screen.queryByRole('button', { name: 'Return to payer' })).toBeNull()
  })
})

describe('what changes while a dialog is open', () => {
  const dialogText = () => document.querySelector('dialog[open]')?.textContent ?? ''
  const forms = () => api.calls.filter(({ method }) => method === 'POST').map(({ form }) => form)
  const seeAndSend = async () => {
    await comes(/has changed since you opened it/)
    await press('I have seen it')
    await submit()
    await comes(/done for/)
  }

  test('a finding is closed only with the answer of the rail in view', async () => {
    const finding = {
      id: 'mtn_momo_cm:charge:r1',
      object: 'rail_finding' as const,
      rail: 'mtn_momo_cm',
      kind: 'charge' as const,
      reference: 'r1',
      answer: 'pending' as const,
      amount: 700,
      currency: 'XAF',
      transaction: null,
      merchant: null,
      revision: 0,
      created: 1_795_000_000,
    }
    const list = { object: 'list' as const, url: '/', has_more: false }
    api.answers.railFindings = { ...list, data: [finding] }
    await openAt('/reconciliation')
    await press('Close the finding')
    // The form of the upload has a reason, too.
    const reason = document.querySelector('dialog[open] textarea')
    await act(
      async () => void fireEvent.change(reason as Element, { target: { value: 'Nothing was paid.' } }),
    )
    api.changes = [envelope(409, 'finding_changed', 'The rail has answered.'), entryOf()]
    api.answers.railFindings = { ...list, data: [{ ...finding, answer: 'succeeded', revision: 1 }] }
    await submit()
    await comes(/has changed since you opened it/)
    expect(dialogText()).toContain('Succeeded')
    await seeAndSend()
    expect(forms().map((form) => form['seen_revision'])).toEqual(['0', '1'])
  })

  test('a day is closed only with its counts in view', async () => {
    await openStatement({ ours_only: 1 })
    await press('Close the day')
    expect(dialogText()).toContain('Only ours1')
    await write(/^Reason/, 'All is explained.')
    api.changes = [envelope(409, 'statement_changed', 'The counts have changed.'), entryOf()]
    api.answers.statement = { ...statementOf({ ours_only: 0 }), differences: [], has_more: false }
    await submit()
    await seeAndSend()
    expect(forms().map((form) => form['seen_ours_only'])).toEqual(['1', '0'])
    expect(Object.keys(forms()[0] ?? {}).toSorted()).toEqual([
      'reason',
      'seen_amount_differs',
      'seen_duplicate',
      'seen_matched',
      'seen_ours_only',
      'seen_theirs_only',
    ])
  })
})

test('older statements are reached page by page, and the newest from there', async () => {
  const data = [3, 2].map((digit) => statementOf({ id: idOf('st', digit) }))
  api.answers.statements = { object: 'list', url: '/', has_more: true, data }
  await openAt(`/reconciliation?starting_after=${idOf('st', 4)}`)
  const older = await screen.findByRole('link', { name: 'Older →' })
  expect(older.getAttribute('href')).toBe(`/dash/reconciliation?starting_after=${idOf('st', 2)}`)
  expect(screen.getByRole('link', { name: 'Newest' }).getAttribute('href')).toBe('/dash/reconciliation')
  expect(api.calls.find(({ path }) => path === '/dash/v1/statements')?.query).toEqual({
    starting_after: idOf('st', 4),
  })
})

describe('what could not be read', () => {
  const broken = () => envelope(403, 'forbidden', 'It is not for you.')

  test('is not shown as no finding and no rail', async () => {
    api.answers.railFindings = broken()
    await openAt('/reconciliation')
    const section = (await screen.findByRole('heading', { name: 'Only the rail knows them' })).closest(
      'section',
    )
    expect(section?.textContent).toContain('It is not for you.')
    expect(screen.queryByText('None.')).toBeNull()
    delete api.answers.railFindings
    api.answers.rails = broken()
    await openAt('/reconciliation')
    const form = await screen.findByRole('form', { name: 'Upload a statement' })
    await isSo(() => expect(form.textContent).toContain('It is not for you.'))
  })

  test('is not shown as a filter without choices, or as no view', async () => {
    api.answers.merchantClients = broken()
    api.answers.savedViews = broken()
    await openAt('/payments')
    await comes('The choices could not be read: It is not for you.')
    await isSo(() =>
      expect(document.body.textContent).toContain('The views could not be read: It is not for you.'),
    )
  })
})
