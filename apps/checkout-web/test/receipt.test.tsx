import { screen } from '@testing-library/react'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { words } from '../src/words/index.ts'
import { button, heading, openPage, pageText, pass, plain, press, usePage, write } from './page.ts'
import { INTENT_ID, paid, SECRET, SESSION_ID } from './wire.ts'

const api = usePage()
// So that the page's own import of it needs no time.
beforeAll(() => import('../src/ui/save-image.ts'))

const amounts = { fr: '12 500 FCFA', en: '12,500 FCFA' }

describe.each(['fr', 'en'] as const)('a receipt, in %s', (language) => {
  const say = words[language]

  const payFor = async (description: string): Promise<void> => {
    api.change({ description })
    api.confirms = [paid()]
    await openPage({ language })
    write('670123427')
    await press(say.pay(amounts[language]))
    expect(heading()).toBe(say.succeededTitle)
  }

  test('has the order, the masked number and the operator’s number, and no long id', async () => {
    await payFor('Riz parfumé, 25 kg')
    for (const text of ['Riz parfumé, 25 kg', '6 •• •• •• 27', '17677469451', '2222 2222'])
      expect(pageText()).toContain(text)
    expect(pageText()).not.toMatch(new RegExp(`${INTENT_ID}|670123427`))
  })

  test('is sent without the link, its secret or the number', async () => {
    await payFor('Riz')
    const link = screen.getByRole('link', { name: say.sendByWhatsApp })
    const { host, searchParams } = new URL(link.getAttribute('href') ?? '')
    const text = plain(searchParams.get('text') ?? '')
    expect(host).toBe('wa.me')
    expect(text.split('\n')).toContain(`${say.receiptAmount} : ${amounts[language]}`)
    expect(text).toContain('17677469451')
    expect(text).not.toMatch(new RegExp(`${SECRET}|${SESSION_ID}|${INTENT_ID}|670123427|http`))
    expect(link.getAttribute('rel')).toBe('noopener noreferrer')
  })

  test('is shared through the phone where it can be, and a closed list of apps is no error', async () => {
    const shared: ShareData[] = []
    const share = (data: ShareData) => {
      shared.push(data)
      return Promise.reject(new DOMException('closed', 'AbortError'))
    }
    Object.defineProperty(navigator, 'share', { value: share, configurable: true })
    await payFor('Riz')
    await press(say.share)
    Reflect.deleteProperty(navigator, 'share')
    expect(shared.map((data) => Object.keys(data))).toEqual([['title', 'text']])
    expect(shared[0]?.text).not.toContain(SECRET)
  })

  test('is kept for a browser that asks before it saves', async () => {
    const made = vi.fn(() => 'blob:receipt')
    const revoked = vi.fn()
    Object.assign(URL, { createObjectURL: made, revokeObjectURL: revoked })
    const context = {
      measureText: () => ({ width: 0 }),
      fillRect: () => undefined,
      fillText: () => undefined,
    }
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
      ...context,
      canvas: document.createElement('canvas'),
    } as unknown as CanvasRenderingContext2D)
    vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((done) => done(new Blob(['png'])))
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
    await payFor('Riz')
    await press(say.saveImage)
    expect(made).toHaveBeenCalledTimes(1)
    await pass(30)
    expect(revoked).not.toHaveBeenCalled()
    await pass(30)
    expect(revoked).toHaveBeenCalledWith('blob:receipt')
  })

  test('that cannot be drawn says what to do instead', async () => {
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
    await payFor('Riz')
    expect(button(say.saveImage)).toBeTruthy()
    await press(say.saveImage)
    expect(screen.getByRole('alert').textContent).toBe(say.notSaved)
  })
})
