import { useId } from 'react'

export interface NumberFieldProps {
  readonly label: string
  readonly hint: string
  readonly error: string | null
  readonly initial: string
}

/** Accepts any spelling. Only the API validates the number and makes it canonical (spec 2.2). */
export function NumberField({ label, hint, error, initial }: NumberFieldProps) {
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
        defaultValue={initial}
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
