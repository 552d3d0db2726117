/** An operator of the demo, as the service knows them. */
export interface Person {
  name: string
  email: string
  id: number
}
