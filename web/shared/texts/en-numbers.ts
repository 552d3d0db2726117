/** What both the dashboard and the scan app say of a number that was typed. */
export const numbers = {
  noNumber: 'This is not a number: write it as 1234.5, with a point and no commas',
}
