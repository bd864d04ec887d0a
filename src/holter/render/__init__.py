"""What a person or a program gets to see of conversations: a timeline, a list, JSON; and the same without secrets.

Pure functions of conversations: nothing here reads, writes or asks for the time. May import `holter.formats`, `holter.messages`,
`holter.errors`. rich is imported by what makes text, and by nothing that makes JSON.
"""
