/** What the details panel shows of a skill, or of a view. */
export interface DetailsContent {
  title: string
  content: readonly Node[]
  /** Shows a file of the skill and focuses it. */
  openFile?(path: string): void
}
