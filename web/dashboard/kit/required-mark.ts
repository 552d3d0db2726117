/** What draws the sign of a required field beside its label. The form says what it means. */
export const requiredMark = (isRequired: boolean) => (isRequired ? { 'data-required': true } : {})
