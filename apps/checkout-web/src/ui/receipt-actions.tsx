import { useState } from 'react'
import type { Locale } from '@merchant-payments/payer-client/form/words/languages'
import { words } from '../words/index.ts'
import { type ReceiptRow, receiptText } from './receipt-rows.ts'

export interface ReceiptActionsProps {
  readonly rows: readonly ReceiptRow[]
  readonly locale: Locale
}

/** Ways to keep or send the receipt. What leaves the page is its lines, never its address. */
export function ReceiptActions({ rows, locale }: ReceiptActionsProps) {
  const say = words[locale]
  const [isUnsaved, setUnsaved] = useState(false)
  const text = receiptText(say.receiptTitle, rows)

  const save = async (): Promise<void> => {
    setUnsaved(false)
    const { saveImage } = await import('./save-image.ts')
    await saveImage({ title: say.receiptTitle, rows, fileName: say.receiptFile })
  }
  return (
    <>
      {typeof navigator.share === 'function' && (
        <button
          type="button"
          className="plain"
          // A payer who closes the list of apps rejects the promise.
          onClick={() => void navigator.share({ title: say.receiptTitle, text }).catch(() => undefined)}
        >
          {say.share}
        </button>
      )}
      <a
        className="button plain"
        href={`https://wa.me/?text=${encodeURIComponent(text)}`}
        target="_blank"
        rel="noopener noreferrer"
      >
        {say.sendByWhatsApp}
      </a>
      <button type="button" className="plain" onClick={() => void save().catch(() => setUnsaved(true))}>
        {say.saveImage}
      </button>
      {isUnsaved && (
        <p role="alert" className="alert">
          {say.notSaved}
        </p>
      )}
      <button type="button" className="plain" onClick={() => print()}>
        {say.print}
      </button>
    </>
  )
}
