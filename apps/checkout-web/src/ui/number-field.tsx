import { useId } from 'react'
import { asciiDigits } from '@merchant-payments/payer-client/form/number'

export interface NumberFieldProps {
  readonly label: string
  readonly hint: string
  readonly error: string | null
  readonly value: string
  readonly onWrite: (value: string) => void
}

/** Accepts any spelling. Only the API validates the number and makes it canonical (spec 2.2). */
export function NumberField({ label, hint, error, value, onWrite }: NumberFieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <p id={`${id}-hint`} className="note">
        {hint}
      </p>
      <input
        id={id}
        name="msisdn"
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        value={value}
        // Digits of other scripts appear as the API reads them, so that the payer can check them.
        onChange={(event) => onWrite(asciiDigits(event.currentTarget.value))}
        aria-invalid={error !== null}
        aria-describedby={`${id}-hint${error === null ? '' : ` ${id}-error`}`}
      />
      {error !== null && (
        <p id={`${id}-error`} role="alert" className="alert">
          {error}
        </p>
      )}
    </div>
  )
}
