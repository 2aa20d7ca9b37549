package com.example.mail

import java.time.Duration
import java.time.Instant

const val MAX_AGE_DAYS = 30L

enum class Folder { INBOX, ARCHIVE, SPAM }

data class Message(
    val sender: String,
    val subject: String,
    val receivedAt: Instant,
    var folder: Folder = Folder.INBOX,
)

interface Filter {
    fun accepts(message: Message): Boolean
}

class Inbox(private val filters: List<Filter> = emptyList()) {
    private val messages = mutableListOf<Message>()

    fun receive(message: Message): Folder {
        val folder = if (filters.all { it.accepts(message) }) Folder.INBOX else Folder.SPAM
        messages += message.copy(folder = folder)
        return folder
    }

    fun archiveOld(now: Instant = Instant.now()): Int {
        val limit = now.minus(Duration.ofDays(MAX_AGE_DAYS))
        val old = messages.filter { it.folder == Folder.INBOX && it.receivedAt < limit }
        old.forEach { it.folder = Folder.ARCHIVE }
        return old.size
    }

    fun bySender(): Map<String, List<Message>> = messages
        .filter { it.folder != Folder.SPAM }
        .groupBy { it.sender.lowercase() }

    companion object {
        fun empty() = Inbox()
    }
}

fun String.initials(most: Int = 2): String {
    val words = this.split(" ", "-").filter { it.isNotBlank() }
    return words.take(most).joinToString("") { word -> word.first().uppercase() }
}
