import { type ReactNode, useRef, useState } from 'react'
import { reaches, useMember } from '../member.tsx'
import { type ChangeName, changes } from '../wire/operations.ts'
import { ChangeForm } from './change-form.tsx'

interface ChangeField {
  readonly name: string
  readonly label: string
  readonly pattern?: string
  readonly hint: string
  readonly isRequired?: boolean
  /** Not of digits alone. */
  readonly isText?: boolean
}

export interface ChangeProps {
  readonly change: ChangeName
  /** Of what changes. */
  readonly id: string
  /** What the button says, and the dialog's own. */
  readonly action: string
  /** What will happen, and what cannot be undone. */
  readonly consequence: ReactNode
  readonly isGrave?: boolean
  /** The id must be typed. */
  readonly isTyped?: boolean
  /** What it takes besides its reason; what is left empty is not sent. */
  readonly fields?: readonly ChangeField[]
  /** A choice that the change needs besides its reason. */
  readonly choice?: { readonly name: string; readonly label: string; readonly options: readonly string[] }
}

/** A change by a staff member: asked for twice, the second time with the object's id and a reason. */
export function ChangeButton(props: ChangeProps) {
  const { change, action, isGrave = false } = props
  const { role } = useMember()
  const dialog = useRef<HTMLDialogElement>(null)
  const [opening, setOpening] = useState(0)
  if (!reaches(role, changes[change].role)) return null
  const open = () => {
    setOpening(opening + 1)
    dialog.current?.showModal()
  }
  return (
    <>
      <button type="button" className={isGrave ? 'grave' : undefined} onClick={open}>
        {action}
      </button>
      <dialog ref={dialog} aria-label={action}>
        {opening > 0 && <ChangeForm {...props} key={opening} close={() => dialog.current?.close()} />}
      </dialog>
    </>
  )
}
