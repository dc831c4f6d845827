import type { ToolDefinition } from 'skillshelf/tools'

const THINGS = [
  ['invoice', 'An invoice of a customer: number, amount, due date'],
  ['contract', 'A contract with a supplier: parties, term, notice'],
  ['shipment', 'A parcel on its way: carrier, tracking number, address'],
  ['employee', 'A person who works here: name, team, vacation'],
  ['meeting', 'A meeting in the calendar: room, guests, time'],
  ['ticket', 'A problem that a customer reported: priority, status'],
  ['candidate', 'A person who applied for a job: résumé, interview'],
  ['warehouse_item', 'Something in stock: shelf, count, weight'],
  ['campaign', 'An advertising campaign: audience, budget, channel'],
  ['server', 'A machine in the data center: load, disk, uptime'],
] as const
const ACTIONS = [
  ['create', 'Makes a new one.'],
  ['find', 'Looks for one by its fields.'],
  ['update', 'Changes fields of one.'],
  ['delete', 'Removes one for good.'],
  ['export', 'Writes all of them to a CSV file.'],
  ['import', 'Reads them from a CSV file.'],
  ['assign', 'Gives one to a person who is responsible for it.'],
  ['comment_on', 'Adds a note for colleagues to one.'],
  ['archive', 'Hides one that is done.'],
  ['restore', 'Brings back one that was archived.'],
  ['count', 'Counts them by status.'],
  ['remind', 'Sends a reminder of an overdue one by e-mail.'],
  ['approve', 'Marks one as approved.'],
  ['reject', 'Marks one as refused, with a reason.'],
  ['print', 'Prints one on paper.'],
  ['share', 'Sends a link to one to somebody.'],
] as const

/** 160 made tools, as `tools/list` of an MCP server has them. */
export const tools: readonly ToolDefinition[] = THINGS.flatMap(([thing, about]) =>
  ACTIONS.map(([action, does]) => ({
    name: `office__${action}_${thing}`,
    description: `${about}. ${does}`,
    inputSchema: {
      type: 'object',
      properties: { [thing]: { type: 'string', description: `Name or number of the ${thing}` } },
    },
  })),
)

/** Runs a made tool. In a program, call the MCP server. */
export function callTool(name: string, input: unknown): string {
  return `${name} is done: ${JSON.stringify(input)}`
}
