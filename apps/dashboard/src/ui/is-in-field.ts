/** Whether a key is meant for a field, or for a dialog. */
export const isInField = ({ target }: Event): boolean =>
  target instanceof Element && target.closest('input, select, textarea, dialog') !== null
