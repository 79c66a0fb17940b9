#!/usr/bin/env python3
"""Prints what a .tegt holds: read_tegt.py FILE [KERNEL]

Written from docs/trace-format.md alone, as a second opinion of teg's own
reader: the text is that of tests/help_dump.h, and the .txt files beside this
one are what it printed.
"""
import struct
import sys
import zlib

LANES = 32


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, n):
        assert self.at + n <= len(self.data)
        self.at += n
        return self.data[self.at - n:self.at]

    def u8(self):
        return self.take(1)[0]

    def u32(self):
        return struct.unpack('<I', self.take(4))[0]

    def varint(self):
        v = shift = 0
        while True:
            byte = self.u8()
            v |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return v

    def zigzag(self):
        v = self.varint()
        return v >> 1 if v % 2 == 0 else -(v >> 1) - 1

    def string(self):
        return self.take(self.varint()).decode()


def chunk(data, at, tag, dictionary=b''):
    b = Bytes(data, at)
    assert b.take(1) == tag
    size, packed, crc = b.varint(), b.varint(), b.u32()
    packed = b.take(packed)
    assert zlib.crc32(packed) == crc
    raw = zlib.decompressobj(-15, zdict=dictionary).decompress(packed)
    assert len(raw) == size
    return Bytes(raw)


def registers(b):
    return [(b.varint(), b.varint()) for _ in range(b.u8())]


def kernel(b, version):
    """The program: a list of (pc, text)."""
    b.string()
    for _ in range(3 + 3 + 5):  # grid, block, registers ... local base
        b.varint()
    for _ in range(b.varint()):  # notes
        b.string(), b.string(), b.string(), b.varint()
    for _ in range(b.varint()):  # classes
        b.string()
    program, pc = [], 0
    for _ in range(b.varint()):
        pc += b.zigzag()
        b.u8(), b.u8(), b.varint(), b.varint()  # class, space, width, flags
        if version > 1:
            b.u8()  # values
        registers(b), registers(b)
        if b.u8():
            b.take(5)
        b.varint()  # line
        program.append((pc, b.string()))
    return program


def run_list(b):
    """Every executed instruction and its mask."""
    path, end, mask = [], 0, 0
    for _ in range(b.varint()):
        start = end + b.zigzag()
        length = b.varint()
        token = b.u8()
        if token == 1:
            mask = 0xffffffff
        elif token == 2:
            mask = b.u32()
        else:
            assert token == 0
        path += [(i, mask) for i in range(start, start + length)]
        end = start + length
    return path


def shape_of(b, kind):
    if kind == 0:
        return ('line', b.zigzag())
    if kind == 1:
        return ('grid', b.u8(), b.zigzag(), b.zigzag())
    return ('list',)


class Slot:
    def __init__(self, b):
        self.inst, self.first, self.base = b.varint(), b.varint(), b.zigzag()
        self.step, self.delta = b.zigzag(), b.zigzag()
        self.shape = shape_of(b, b.u8())

    def begin(self, stream):
        self.distance = self.delta
        self.last = self.base + (stream - self.first) * self.step - self.delta
        self.now = self.shape


def addresses(b, slot, mask):
    """The next record's address of every active lane."""
    control = b.u8()
    if control & 1:
        slot.distance = b.zigzag()
    base = slot.last = slot.last + slot.distance
    active = [lane for lane in range(LANES) if mask >> lane & 1]
    if control >> 1:
        slot.now = shape_of(b, (control >> 1) - 1)
    if slot.now[0] == 'line':
        found = [base + slot.now[1] * lane for lane in active]
    elif slot.now[0] == 'grid':
        _, log2, stride, pitch = slot.now
        found = [base + stride * (lane % (1 << log2)) + pitch * (lane >> log2)
                 for lane in active]
    else:
        found = [base]
        for _ in range(b.u8()):
            found.append(found[-1] + b.zigzag())
        assert len(found) == len(active)
    return [a % 2**64 for a in found]


def dump(b, program):
    print('block %u,%u,%u' % (b.varint(), b.varint(), b.varint()))
    paths = [run_list(b) for _ in range(b.varint())]
    slots = [Slot(b) for _ in range(b.varint())]
    slots_of = {}
    for slot in slots:
        slots_of.setdefault(slot.inst, []).append(slot)
    for stream in range(b.varint()):
        print('warp %u' % b.varint())
        path = paths[b.varint()]
        records = Bytes(b.take(b.varint()))
        for slot in slots:
            slot.begin(stream)
        for inst, mask in path:
            pc, text = program[inst]
            line = '%04x %08x %s' % (pc, mask, text)
            for slot in slots_of.get(inst, []) if mask != 0 else []:
                found = addresses(records, slot, mask)
                line += ' @' + ''.join(' %x' % a for a in found)
            print(line)
        assert records.at == len(records.data)
    assert b.at == len(b.data)


def main(path, number=0):
    data = open(path, 'rb').read()
    assert data[:8] == b'\x89TEGT\r\n\x1a' and data[-8:] == b'TEGTEND\n'
    version = struct.unpack('<I', data[8:12])[0]
    assert 1 <= version <= 2
    directory = chunk(data, struct.unpack('<Q', data[-16:-8])[0], b'D')
    for _ in range(directory.varint()):
        directory.string()
        at, index, blocks, insts = [directory.varint() for _ in range(4)]
        if number == 0:
            break
        number -= 1
    program = kernel(chunk(data, at, b'K'), version)
    index, at, dictionary = chunk(data, index, b'I'), 0, b''
    for _ in range(blocks):
        at += index.varint()
        b = chunk(data, at, b'B', dictionary)
        dictionary = dictionary or b.data[:32768]
        dump(b, program)


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
