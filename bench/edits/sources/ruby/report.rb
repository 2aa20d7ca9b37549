# frozen_string_literal: true

require "date"

module Shop
  PAGE_SIZE = 50

  class Report
    attr_reader :rows, :title

    def initialize(title, rows = [])
      @title = title
      @rows = rows
    end

    def add(date, amount, tag: nil)
      raise ArgumentError, "amount is negative" if amount.negative?

      @rows << { date: Date.parse(date), amount: amount, tag: tag }
      self
    end

    def total(tag = nil)
      chosen = tag ? @rows.select { |row| row[:tag] == tag } : @rows
      chosen.sum { |row| row[:amount] }
    end

    def pages
      @rows.sort_by { |row| row[:date] }.each_slice(PAGE_SIZE).map do |slice|
        slice.map { |row| "#{row[:date]}: #{row[:amount]}" }.join("\n")
      end
    end

    def self.from_lines(lines)
      lines.each_with_object(new("imported")) do |line, report|
        date, amount, tag = line.split(";")
        report.add(date, amount.to_i, tag: tag)
      end
    end
  end

  def self.format_amount(cents, currency = "EUR")
    whole, rest = cents.divmod(100)
    format("%d.%02d %s", whole, rest, currency.upcase)
  end
end
